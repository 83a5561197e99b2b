//===- Findings.cpp - Messages of the sanitizer ---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages look as the compiler's do: place, what is wrong, the line, a caret.
//
//===----------------------------------------------------------------------===//
#include "cpu/Findings.h"

#include <algorithm>

using namespace goldy::rt;

static std::string headOf(const SitePlace &S, const char *Level,
                          const std::string &Message) {
  return S.File + ":" + std::to_string(S.Line) + ":" +
         std::to_string(S.Column) + ": " + Level + ": " + Message;
}

/// The line of text and a caret under its column, which counts characters.
static std::string excerptOf(const SitePlace &S) {
  if (S.Text.empty())
    return "";
  std::string Number = std::to_string(S.Line), Line, Blank;
  uint32_t Column = 1;
  for (char C : S.Text) {
    bool Continues = (static_cast<unsigned char>(C) & 0xc0) == 0x80;
    bool Control = static_cast<unsigned char>(C) < 0x20 || C == 0x7f;
    Line += Control && C != '\t' ? ' ' : C;
    if (!Continues && Column++ < S.Column)
      Blank += C == '\t' ? '\t' : ' ';
  }
  std::string Margin(Number.size(), ' ');
  return " " + Number + " | " + Line + "\n " + Margin + " | " + Blank + "^\n";
}

/// The way into the helper that holds the place.
static std::string callsOf(const WatchSite &S) {
  std::string Text;
  for (const SitePlace &Call : S.Calls)
    Text += headOf(Call, "note", "in a call here") + "\n" + excerptOf(Call);
  return Text;
}

std::string Findings::temporaryNote(const WatchSite &Since) {
  return "temporary `" + Since.Name + "` holds nothing until it is written";
}

std::string Findings::withNote(const std::string &Message,
                               const WatchSite &Since) {
  std::string Text = Message + "\n" +
                     headOf(Since, "note", temporaryNote(Since)) + "\n" +
                     excerptOf(Since);
  Text.pop_back(); // messages end without one
  return Text;
}

bool Findings::count(Kind K, uint32_t Here, uint32_t There) {
  ++Total;
  Key At(K, std::min(Here, There), std::max(Here, There));
  std::map<Key, size_t>::iterator It = Known.find(At);
  if (It != Known.end()) {
    ++List[It->second].Times;
    return false;
  }
  size_t Of = static_cast<size_t>(K);
  if (OfKind[Of] == Most) {
    ++Lost[Of];
    return false;
  }
  Known.emplace(At, List.size());
  List.push_back({K, "", ""});
  ++OfKind[Of];
  return true;
}

void Findings::tell(const WatchSite &Here, const std::string &What,
                    const WatchSite *There, const std::string &Note) {
  Finding &F = List.back();
  F.Head = headOf(Here, "error", What);
  F.Text = F.Head + "\n" + excerptOf(Here) + callsOf(Here);
  if (There)
    F.Text += headOf(*There, "note", Note) + "\n" + excerptOf(*There) +
              callsOf(*There);
}

/// Which of the list are told.
std::vector<bool> Findings::chosen() const {
  std::vector<bool> Told(List.size());
  size_t Left = Most, Taken[Kinds] = {};
  for (size_t N = 0; N < List.size(); ++N)
    if (size_t &Of = Taken[static_cast<size_t>(List[N].What)]; Of < Sure) {
      ++Of;
      --Left;
      Told[N] = true;
    }
  for (size_t N = 0; N < List.size() && Left; ++N)
    if (!Told[N]) {
      --Left;
      Told[N] = true;
    }
  return Told;
}

void Findings::print(const std::string &Kernel, const DebugListener &To) const {
  static constexpr const char *Names[Kinds] = {
      "indices out of range", "failed assumptions", "data races",
      "reads of undetermined values", "barriers that were missed"};
  std::vector<bool> Told = chosen();
  uint64_t Rest[Kinds];
  std::copy_n(Lost, Kinds, Rest);
  for (size_t N = 0; N < List.size(); ++N) {
    const Finding &F = List[N];
    if (!Told[N]) {
      Rest[static_cast<size_t>(F.What)] += F.Times;
      continue;
    }
    std::string Text = F.Text + "in kernel `" + Kernel + "`";
    if (F.Times > 1)
      Text += ", " + std::to_string(F.Times) + " times";
    To.Call(To.User, Text.data(), Text.size());
  }
  std::string Others;
  for (size_t K = 0; K < Kinds; ++K)
    if (Rest[K])
      Others += (Others.empty() ? "" : ", ") + std::to_string(Rest[K]) + " " +
                Names[K];
  if (Others.empty())
    return;
  std::string Text =
      "in kernel `" + Kernel + "`, not told, at other places: " + Others;
  To.Call(To.User, Text.data(), Text.size());
}

std::string Findings::summary(const std::string &Kernel) const {
  std::string Text = "kernel `" + Kernel + "`: the sanitizer has " +
                     std::to_string(List.size()) +
                     (List.size() == 1 ? " finding" : " findings");
  if (std::any_of(Lost, Lost + Kinds, [](uint64_t Times) { return Times; }))
    Text += " and more";
  return Text + "; first: " + List.front().Head;
}
