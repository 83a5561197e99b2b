//===- Statements.cpp - Random statements ---------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "KernelWriter.h"

namespace goldy::fuzz {

void KernelWriter::statements(unsigned Count, unsigned Depth) {
  size_t Outer = Scope.size();
  for (unsigned N = 0; N < Count && Budget > 0; ++N) {
    --Budget;
    statement(Depth);
  }
  Scope.resize(Outer);
}

void KernelWriter::statement(unsigned Depth) {
  switch (R.below(Depth == 0 ? 8 : 14)) {
  case 0:
  case 1:
  case 2:
    return letStatement(2 + R.below(2));
  case 3:
  case 4:
    return assignment();
  case 5:
    return InHelper ? assignment() : storeOwn();
  case 6:
    return InHelper || Atomics.empty() ? letStatement(3) : atomic();
  case 7:
    return Loops.empty() ? assignment() : leaveLoop();
  case 8:
  case 9:
    return ifStatement(Depth);
  case 10:
    return countedLoop(Depth);
  case 11:
    return rangeLoop(Depth);
  case 12:
    return matchStatement(Depth);
  default:
    return labelledBlock(Depth);
  }
}

void KernelWriter::letStatement(unsigned Depth) {
  TypeName T = valueType();
  Variable V{fresh("v"), T, R.chance(50)};
  line(std::string("let ") + (V.Mutable ? "mut " : "") + V.Name + ": " + T +
       " = " + expr(T, Depth) + ";");
  Scope.push_back(V);
}

void KernelWriter::componentAssignment(const Variable &V) {
  if (V.Type[0] == '[')
    return line(V.Name + "[" + index(1) +
                "] = " + expr(V.Type.substr(1, V.Type.find(';') - 1), 2) + ";");
  if (isVector(V.Type))
    return line(V.Name + "." + "xyzw"[R.below(lengthOf(V.Type))] +
                R.pick<const char *>({" = ", " += ", " *= "}) +
                expr(componentOf(V.Type), 2) + ";");
  for (const Struct &S : Structs)
    if (S.Name == V.Type) {
      const Field &F = R.pick(S.Fields);
      line(V.Name + "." + F.Name + " = " + expr(F.Type, 2) + ";");
    }
}

void KernelWriter::assignment() {
  std::vector<const Variable *> Found;
  for (const Variable &V : Scope)
    if (V.Mutable)
      Found.push_back(&V);
  if (Found.empty())
    return letStatement(2);
  const Variable V = *R.pick(Found);
  bool Scalar = isInteger(V.Type) || V.Type == "f32" || V.Type == "bool";
  if (!Scalar && R.chance(60))
    return componentAssignment(V);
  const char *Operator = " = ";
  if (V.Type == "f32" && R.chance(40))
    Operator = R.pick<const char *>({" += ", " -= ", " *= ", " /= "});
  else if (isInteger(V.Type) && R.chance(40))
    Operator = R.pick<const char *>({" += ", " -= ", " *= ", " ^= ", " |= "});
  line(V.Name + Operator + expr(V.Type, 3) + ";");
}

void KernelWriter::storeOwn() {
  const Indexed &O = R.pick(Outputs);
  line(O.Name + "[gid] = " + expr(O.Element, 3) + ";");
}

/// The name ends in the operation that the buffer is for.
void KernelWriter::atomic() {
  std::string Name = R.pick(Atomics);
  std::string Op = Name.substr(2), T = Name[0] == 'i' ? "i32" : "u32";
  line("gpu::atomic_" + Op + "(" + Name + ", " + index(1) + ", " + expr(T, 2) +
       ");");
}

void KernelWriter::ifStatement(unsigned Depth) {
  open("if " + expr("bool", 2));
  statements(1 + R.below(3), Depth - 1);
  if (R.chance(50)) {
    --Indent;
    if (R.chance(30))
      open("} else if " + expr("bool", 2));
    else
      open("} else");
    statements(1 + R.below(2), Depth - 1);
  }
  close();
}

/// `while` or `loop` with its own counter.
void KernelWriter::countedLoop(unsigned Depth) {
  std::string Counter = fresh("c"), Label = fresh("'l");
  line("let mut " + Counter + ": u32 = 0u32;");
  bool While = R.chance(50);
  std::string End = std::to_string(1 + R.below(5)) + "u32";
  if (R.chance(50))
    End = "(" + expr("u32", 1) + " % 6u32)";
  open(Label + ": " +
       (While ? "while " + Counter + " < " + End : std::string("loop")));
  line(Counter + " += 1u32;");
  if (!While)
    line("if " + Counter + " > 7u32 || " + expr("bool", 1) + " { break; }");
  else
    line("if " + Counter + " > 9u32 { break; }");
  Loops.push_back(Label);
  statements(1 + R.below(3), Depth - 1);
  Loops.pop_back();
  close();
}

void KernelWriter::rangeLoop(unsigned Depth) {
  std::string Label = fresh("'l");
  TypeName T = R.pick<const char *>({"u32", "i32"});
  Variable V{fresh("i"), T};
  std::string Lo = R.chance(70) ? "0" + T : "(" + expr(T, 1) + " % 5" + T + ")";
  std::string Hi = R.chance(50) ? std::to_string(R.below(5)) + T
                                : "(" + expr(T, 1) + " % 6" + T + ")";
  std::string Range = Lo + (R.chance(30) ? "..=" : "..") + Hi;
  if (R.chance(25))
    Range = "(" + Range + ").step_by(" + std::to_string(1 + R.below(3)) + ")";
  else if (R.chance(20))
    line(R.pick<const char *>({"#[unroll]", "#[unroll(2)]"}));
  open(Label + ": for " + V.Name + " in " + Range);
  Loops.push_back(Label);
  Scope.push_back(V);
  statements(1 + R.below(3), Depth - 1);
  Scope.pop_back();
  Loops.pop_back();
  close();
}

void KernelWriter::matchStatement(unsigned Depth) {
  open("match " + expr("u32", 2) + " % 5u32");
  for (const char *Arm : {"0 | 3", "1..=2", "_"}) {
    open(std::string(Arm) + " =>");
    statements(1 + R.below(2), Depth - 1);
    close();
  }
  close();
}

void KernelWriter::labelledBlock(unsigned Depth) {
  std::string Label = fresh("'s");
  open(Label + ":");
  line("if " + expr("bool", 2) + " { break " + Label + "; }");
  statements(1 + R.below(3), Depth - 1);
  close();
}

void KernelWriter::leaveLoop() {
  std::string Jump = R.chance(50) ? "break " : "continue ";
  line("if " + expr("bool", 2) + " { " + Jump + R.pick(Loops) + "; }");
}

// --- What the whole group does

void KernelWriter::barrierPhase() {
  for (Indexed &A : Group) {
    A.Readable = false;
    if (R.chance(80))
      line(A.Name + "[lid] = " + expr(A.Element, 3) + ";");
  }
  line("gpu::workgroup_barrier();");
  for (Indexed &A : Group)
    A.Readable = true;
}

void KernelWriter::collectivePhase() {
  const Indexed &A = R.pick(Group);
  line("gpu::workgroup_barrier();");
  Variable V{fresh("v"), A.Element, false, true};
  if (R.chance(30))
    line("let " + V.Name + ": " + V.Type + " = gpu::workgroup_uniform_load(" +
         A.Name + ", " + uniform("u32") + ");");
  else {
    line("let " + V.Name + ": " + V.Type + " = gpu::workgroup_" +
         R.pick<const char *>({"sum", "max", "min"}) + "(" +
         expr(A.Element, 2) + ", " + A.Name + ");");
    // The scratch holds nothing in particular now.
    line(A.Name + "[lid] = " + V.Name + ";");
    line("gpu::workgroup_barrier();");
  }
  Scope.push_back(V);
}

/// Statements of their own kind for each work-item, then one for the group.
void KernelWriter::phase() {
  statements(2 + R.below(5), 2);
  if (Group.empty())
    return;
  bool Looped = R.chance(25);
  if (Looped) {
    std::string Trips = "(" + uniform("u32") + " % 3u32)";
    open("for " + fresh("t") + " in 0u32.." + Trips);
  }
  size_t Outer = Scope.size();
  // All that read the array are through before it is written again.
  line("gpu::workgroup_barrier();");
  if (has(Collectives) && R.chance(40))
    collectivePhase();
  else
    barrierPhase();
  statements(1 + R.below(3), 1);
  if (Looped) {
    Scope.resize(Outer);
    close();
  }
}

} // namespace goldy::fuzz
