//===- StateStatements.cpp - Statements of kernels with state -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every loop has few trips: a walk over a row has the most, and stands in no
// other loop. A workgroup array is written at the own place between two
// barriers and read between the next two.
//
//===----------------------------------------------------------------------===//
#include "StateWriter.h"

namespace goldy::fuzz {

void StateWriter::block(Flow F) {
  size_t KeptInts = Ints.size(), KeptFloats = Floats.size();
  size_t KeptUniforms = Uniforms.size();
  for (unsigned N = 1 + R.below(4); N > 0 && Budget > 0; --N)
    statement(F);
  Ints.resize(KeptInts);
  Floats.resize(KeptFloats);
  Uniforms.resize(KeptUniforms);
}

void StateWriter::statement(Flow F) {
  Budget -= Budget > 0;
  if (F == Flow::Group && R.chance(45))
    return groupStatement();
  itemStatement();
}

void StateWriter::itemStatement() {
  bool Deep = Indent > 6;
  switch (R.below(Deep ? 11 : 21)) {
  case 0:
    return declare();
  case 1:
  case 2:
    return assignFloat();
  case 3:
    return privateElement();
  case 4:
    return ownElement();
  case 5:
    return ownAtomic();
  case 6:
    return leave();
  case 7:
  case 8:
  case 9:
    return assign();
  case 10:
    return decide();
  case 11:
  case 12:
  case 13:
    return ifStatement(Flow::Items);
  case 17:
    return matchStatement();
  case 18:
    return countDown();
  case 14:
    return endlessLoop();
  case 15:
    return labelledBlock(Flow::Items);
  case 16:
    return window();
  default:
    return itemLoop();
  }
}

void StateWriter::groupStatement() {
  switch (R.below(13)) {
  case 0:
  case 1:
    return exchange();
  case 2:
  case 3:
    return exchangeFloat();
  case 4:
    return tree();
  case 5:
    return scan();
  case 6:
    return collective();
  case 7:
    return groupEndlessLoop();
  case 8:
    return groupLoop();
  case 9:
    return ifStatement(Flow::Group);
  case 10:
    return Again ? tree() : labelledBlock(Flow::Group);
  case 11:
    return groupReturn();
  default:
    return row();
  }
}

void StateWriter::declare() {
  if (R.chance(40)) {
    std::string V = fresh("t");
    line("let mut " + V + ": f32 = " + floating(2) + ";");
    return Floats.push_back(V);
  }
  std::string V = fresh("t");
  if (R.chance(30))
    line("let mut " + V + ": u32 = if " + condition(1) + " { " + integer(2) +
         " } else { " + integer(2) + " };");
  else
    line("let mut " + V + ": u32 = " + integer(3) + ";");
  Ints.push_back(V);
}

void StateWriter::assign() {
  std::string V = variable();
  if (R.chance(20))
    return line(V + " += " +
                R.pick<std::string>({"1u32", "3u32", "few", number(Size)}) +
                ";");
  if (R.chance(20))
    return line(V + " = " + atom(Same::PerItem) + ";");
  line(V + R.pick<const char *>({" = ", " += ", " ^= "}) + integer(3) + ";");
}

void StateWriter::assignFloat() {
  std::string V = R.pick(Floats);
  if (R.chance(25))
    return line(V + " = gpu::" + R.pick<std::string>({"max", "min"}) + "(" + V +
                ", " + floating(2) + ");");
  line(V + R.pick<const char *>({" = ", " += ", " *= "}) + floating(2) + ";");
}

void StateWriter::privateElement() {
  if (PrivateFloats && R.chance(60)) {
    std::string I = fresh("i");
    open("for " + I + " in 0u32.." + number(PrivateFloats));
    Counters.push_back(I);
    line("pf[" + I + "]" + R.pick<const char *>({" = ", " += "}) + floating(2) +
         ";");
    Counters.pop_back();
    return close();
  }
  if (!PrivateInts)
    return assign();
  line("p[" + integer(1) + " % " + number(PrivateInts) + "]" +
       R.pick<const char *>({" = ", " += "}) + integer(2) + ";");
}

void StateWriter::ownElement() {
  line("four[own * 4u32 + " + number(R.below(4)) + "]" +
       R.pick<const char *>({" = ", " += "}) + integer(2) + ";");
}

void StateWriter::ownAtomic() {
  if (Histogram && R.chance(40))
    return line("gpu::atomic_add(h, " + integer(1) + " % 18u32, " + integer(1) +
                ");");
  line(variable() + " += gpu::atomic_" +
       R.pick<std::string>({"add", "max", "exchange", "xor"}) +
       "(four, own * 4u32 + " + number(R.pick<uint32_t>({0, 3})) + ", " +
       integer(1) + ");");
}

void StateWriter::ifStatement(Flow F) {
  Same S = F == Flow::Group ? Same::InGroup : Same::PerItem;
  open("if " + condition(1, S));
  block(F);
  if (R.chance(40)) {
    --Indent;
    open("} else");
    block(F);
  }
  close();
}

void StateWriter::matchStatement() {
  open("match " + integer(2) + " % 4u32");
  for (const char *Arm : {"0", "1 | 3", "_"}) {
    open(std::string(Arm) + " =>");
    block(Flow::Items);
    close();
  }
  close();
}

void StateWriter::groupLoop() {
  if (Nesting > 1)
    return exchange();
  std::string I = fresh("i");
  open("for " + I + " in 0u32.." +
       R.pick<std::string>({"few", "3u32", "some % 5u32", "wid % 4u32"}));
  Uniforms.push_back(I);
  ++Nesting;
  std::vector<Exit> Around;
  Around.swap(Exits);
  block(Flow::Group);
  Exits.swap(Around);
  --Nesting;
  Uniforms.pop_back();
  close();
}

/// The whole group leaves it, or goes on early, together.
void StateWriter::groupEndlessLoop() {
  if (Nesting > 1)
    return exchange();
  std::string C = fresh("c");
  line("let mut " + C + " = 0u32;");
  open("loop");
  line(C + " += 1u32;");
  line("if " + C + " > " + number(R.pick<uint32_t>({2, 4})) + " || " +
       condition(1, Same::InGroup) + " { break; }");
  Uniforms.push_back(C);
  ++Nesting;
  std::vector<Exit> Around;
  Around.swap(Exits);
  block(Flow::Group);
  if (R.chance(40)) {
    line("if " + condition(1, Same::InGroup) +
         R.pick<const char *>({" { continue; }", " { break; }"}));
    block(Flow::Group);
  }
  Exits.swap(Around);
  --Nesting;
  Uniforms.pop_back();
  close();
}

/// A bool that is kept.
void StateWriter::decide() {
  if (Bools.empty())
    return assign();
  std::string V = R.pick(Bools);
  std::string With = R.pick<std::string>({"", V + " != ", V + " && "});
  line(V + " = " + With + "(" + condition(1) + ");");
}

void StateWriter::countDown() {
  if (Nesting > 2)
    return assign();
  std::string C = fresh("c");
  line("let mut " + C + " = " +
       R.pick<std::string>({"few", "lx % 6u32", "own % 4u32 + 1u32"}) + ";");
  open("while " + C + " > 0u32");
  line(C + " -= 1u32;");
  Counters.push_back(C);
  ++Nesting;
  block(Flow::Items);
  --Nesting;
  Counters.pop_back();
  close();
}

void StateWriter::itemLoop() {
  if (Nesting > 2)
    return assign();
  std::string I = fresh("i"), Label = fresh("'l");
  std::string Step = number(R.pick<uint32_t>({16, 32, X, 7}));
  std::string Range = R.pick<std::string>(
      {"0u32.." + R.pick<std::string>({"few", "3u32", "some % 7u32"}),
       "0u32..lx % 5u32", "own % 5u32..few + 2u32",
       "(lx..few * 7u32).step_by(" + Step + ")",
       "(lx..some % 90u32).step_by(" + Step + ")",
       integer(1) + " % 4u32.." + integer(1) + " % 9u32",
       "-2i32..few as i32 - 4i32",
       "0u32..=" + atom(Same::InGroup) + " % 4u32"});
  if (R.chance(15))
    line(R.pick<const char *>({"#[unroll]", "#[unroll(2)]"}));
  open(Label + ": for " + I + " in " + Range);
  std::string Number = Range[0] == '-' ? "(" + I + " as u32)" : I;
  Exits.push_back({Label, false});
  Counters.push_back(Number);
  ++Nesting;
  line(variable() + " ^= " + Number + ";");
  block(Flow::Items);
  --Nesting;
  Counters.pop_back();
  Exits.pop_back();
  close();
}

void StateWriter::endlessLoop() {
  if (Nesting > 2)
    return assign();
  std::string Counter = fresh("c"), Label = fresh("'l");
  line("let mut " + Counter + " = 0u32;");
  open(Label + ": loop");
  line(Counter + " += 1u32;");
  line("if " + Counter + " > " + number(R.pick<uint32_t>({3, 6})) + " || " +
       condition(1) + " { break; }");
  Exits.push_back({Label, false});
  ++Nesting;
  block(Flow::Items);
  --Nesting;
  Exits.pop_back();
  close();
}

/// The group's block begins with an exchange, and items leave after it.
void StateWriter::labelledBlock(Flow F) {
  std::string Label = fresh("'b");
  std::vector<Exit> Around;
  if (F == Flow::Group)
    Around.swap(Exits);
  open(Label + ":");
  size_t Kept = Ints.size();
  if (F == Flow::Group)
    exchange();
  Exits.push_back({Label, true});
  block(Flow::Items);
  line("if " + condition(1) + " { break " + Label + "; }");
  block(Flow::Items);
  Exits.pop_back();
  Ints.resize(Kept);
  close();
  if (F == Flow::Group)
    Exits.swap(Around);
}

void StateWriter::leave() {
  if (Exits.empty())
    return assign();
  const Exit &L = R.pick(Exits);
  line("if " + condition(1) + " { " +
       (L.Block || R.chance(50) ? "break " : "continue ") + L.Name + "; }");
}

/// Neighbours in a line or a square, with constant bounds.
void StateWriter::window() {
  std::string I = fresh("i"), V = R.pick(Floats);
  std::string N = number(R.pick<uint32_t>({3, 4, 5, 8}));
  open("for " + I + " in 0u32.." + N);
  bool Square = R.chance(40);
  std::string J = fresh("j");
  if (Square)
    open("for " + J + " in 0u32.." + N);
  std::string At =
      Square ? "(ly + " + I + ") * some + gx + " + J
             : R.pick<std::string>({"own", "lx", "own * 4u32"}) + " + " + I;
  line(V + " += long_f[" + At + "] * " +
       (R.chance(50) ? "long_f[" + I + "]" : floatAtom()) + ";");
  if (Square)
    close();
  close();
}

/// The group walks over a row, each item at its own places.
void StateWriter::row() {
  if (Nesting > 0)
    return exchangeFloat();
  std::string C = fresh("c"), V = R.pick(Floats), N = number(Size);
  open("for " + C + " in (lid.." +
       R.pick<std::string>({"some", "few * 30u32", "500u32"}) + ").step_by(" +
       N + ")");
  std::string Row = "wid * some + " + C;
  Counters.push_back(C);
  switch (R.below(4)) {
  case 0:
    line(V + " = gpu::max(" + V + ", long_f[" + Row + "]);");
    break;
  case 1:
    line(V + " += long_f[" + Row + "] * " + floatAtom() + ";");
    break;
  case 2:
    line(variable() + " += long_u[" + Row + "];");
    break;
  default:
    open("if " + C + " < " + number(4 * Size));
    line("four_rows[wid * " + number(4 * Size) + " + " + C + "] = long_f[" +
         Row + "] - " + floating(1) + ";");
    close();
  }
  Counters.pop_back();
  close();
}

/// Between the barriers that an exchange has before and after it.
void StateWriter::readPhase() {
  Shared = true;
  if (R.chance(40))
    block(Flow::Items);
  Shared = false;
  line("gpu::workgroup_barrier();");
}

void StateWriter::exchange() {
  std::string N = number(Size);
  fillShared("s", false);
  std::string From =
      R.pick<std::string>({number(Size - 1) + " - lid",
                           "(lid + " + atom(Same::InGroup) + ") % " + N,
                           atom(Same::InGroup) + " % " + N, "lid ^ 1u32",
                           integer(1) + " % " + N, "lx", "lid - 1u32"});
  line(variable() + R.pick<const char *>({" = ", " += ", " ^= "}) + "s[" +
       From + "];");
  readPhase();
}

void StateWriter::exchangeFloat() {
  std::string N = number(Size), V = R.pick(Floats);
  fillShared("sf", true);
  std::string From = R.pick<std::string>(
      {number(Size - 1) + " - lid", atom(Same::InGroup) + " % " + N,
       "lid ^ 1u32", integer(1) + " % " + N, "lid - 1u32", "lid"});
  if (R.chance(40))
    line(V + " = gpu::max(" + V + ", sf[" + From + "]);");
  else
    line(V + R.pick<const char *>({" = ", " += ", " *= "}) + "sf[" + From +
         "];");
  readPhase();
}

/// Own places of it are written, perhaps twice, and the group meets.
void StateWriter::fillShared(const std::string &Array, bool Float) {
  std::string At = Array + "[" + ownPlace() + "]";
  line(At + " = " + (Float ? floating(2) : integer(2)) + ";");
  if (R.chance(25))
    line("if " + condition(1) + " { " + At +
         " += " + (Float ? floating(1) : integer(1)) + "; }");
  line("gpu::workgroup_barrier();");
}

void StateWriter::treeNode(const std::string &S, const std::string &D) {
  std::string A = S + "[lid]", B = S + "[lid + " + D + "]";
  line(A + " = " +
       R.pick<std::string>({A + " + " + B, "gpu::max(" + A + ", " + B + ")",
                            "gpu::min(" + A + ", " + B + ")"}) +
       ";");
}

/// Levels by their number, so that their distances are known.
void StateWriter::treeOfLevels(const std::string &S, unsigned Half) {
  unsigned Levels = 0;
  while (Half >> Levels)
    ++Levels;
  std::string L = fresh("i"), D = fresh("d");
  open("for " + L + " in 0u32.." + number(Levels));
  line("let " + D + " = " + number(Half) + " >> " + L + ";");
  open("if lid < " + D);
  treeNode(S, D);
  close();
  line("gpu::workgroup_barrier();");
  close();
}

/// Half of the items after the other, from the far end or from neighbours.
void StateWriter::tree() {
  bool Float = R.chance(60), Down = R.chance(60);
  std::string S = Float ? "sf" : "s", D = fresh("d");
  unsigned Half = 1;
  while (2 * Half < Size)
    Half *= 2;
  line(S + "[lid] = " + (Float ? floating(2) : integer(2)) + ";");
  line("gpu::workgroup_barrier();");
  if (R.chance(30)) {
    treeOfLevels(S, Half);
  } else {
    line("let mut " + D + " = " + number(Down ? Half : 1) + ";");
    open("while " + (Down ? D + " > 0u32" : D + " < " + number(Size)));
    if (R.chance(15))
      line("if " + D + " == few + 1u32 { break; }");
    open(Down ? "if lid < " + D : "if lid % (2u32 * " + D + ") == 0u32");
    treeNode(S, D);
    close();
    line("gpu::workgroup_barrier();");
    line(Down ? D + " = " + D + " / 2u32;" : D + " *= 2u32;");
    close();
  }
  line((Float ? R.pick(Floats) : variable()) + " += " + S + "[" +
       R.pick<std::string>({"0u32", "0u32", "lid"}) + "];");
  line("gpu::workgroup_barrier();");
}

void StateWriter::scan() {
  std::string D = fresh("d"), T = fresh("t");
  line("s[lid] = " + integer(2) + ";");
  line("gpu::workgroup_barrier();");
  line("let mut " + D + " = 1u32;");
  open("while " + D + " < " + number(Size));
  line("let " + T + " = if lid >= " + D + " { s[lid - " + D +
       "] } else { 0u32 };");
  line("gpu::workgroup_barrier();");
  line("s[lid] += " + T + ";");
  line("gpu::workgroup_barrier();");
  line(D + " = " + D + " * 2u32;");
  close();
  line(variable() + " ^= s[lid];");
  line("gpu::workgroup_barrier();");
}

void StateWriter::collective() {
  if (Size != X || (X & (X - 1)))
    return tree();
  bool Float = R.chance(50);
  std::string V = fresh("g"), S = Float ? "sf" : "s";
  line("let " + V + " = gpu::workgroup_" +
       R.pick<std::string>({"sum", "max", "min"}) + "(" +
       (Float ? floating(2) : integer(2)) + ", " + S + ");");
  // The scratch holds nothing in particular now.
  line(S + "[lid] = " + V + ";");
  line("gpu::workgroup_barrier();");
  line((Float ? R.pick(Floats) : variable()) + " += " + V + ";");
  if (!Float)
    Uniforms.push_back(V);
}

void StateWriter::groupReturn() {
  if (R.chance(70))
    return exchange();
  line("if " + condition(1, Same::InGroup) + " { return; }");
}

} // namespace goldy::fuzz
