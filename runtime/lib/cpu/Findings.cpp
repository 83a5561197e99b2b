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

static std::string headOf(const WatchSite &S, const char *Level,
                          const std::string &Message) {
  return S.File + ":" + std::to_string(S.Line) + ":" +
         std::to_string(S.Column) + ": " + Level + ": " + Message;
}

/// The line of text and a caret under its column, which counts characters.
static std::string excerptOf(const WatchSite &S) {
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

bool Findings::count(Kind K, uint32_t Here, uint32_t There) {
  ++Total;
  Key At(K, std::min(Here, There), std::max(Here, There));
  std::map<Key, size_t>::iterator It = Known.find(At);
  if (It != Known.end()) {
    ++List[It->second].Times;
    return false;
  }
  if (List.size() == Most) {
    ++Untold;
    return false;
  }
  Known.emplace(At, List.size());
  List.emplace_back();
  return true;
}

void Findings::tell(const WatchSite &Here, const std::string &What,
                    const WatchSite *There, const std::string &Note) {
  Finding &F = List.back();
  F.Head = headOf(Here, "error", What);
  F.Text = F.Head + "\n" + excerptOf(Here);
  if (There)
    F.Text += headOf(*There, "note", Note) + "\n" + excerptOf(*There);
}

void Findings::print(const std::string &Kernel, const DebugListener &To) const {
  for (const Finding &F : List) {
    std::string Text = F.Text + "in kernel `" + Kernel + "`";
    if (F.Times > 1)
      Text += ", " + std::to_string(F.Times) + " times";
    To.Call(To.User, Text.data(), Text.size());
  }
  if (!Untold)
    return;
  std::string Text = "in kernel `" + Kernel + "`: " + std::to_string(Untold) +
                     " findings at other places are not told";
  To.Call(To.User, Text.data(), Text.size());
}

std::string Findings::summary(const std::string &Kernel) const {
  std::string Text = "kernel `" + Kernel + "`: the sanitizer has " +
                     std::to_string(List.size()) +
                     (List.size() == 1 ? " finding" : " findings");
  if (Untold)
    Text += " and more";
  return Text + "; first: " + List.front().Head;
}
