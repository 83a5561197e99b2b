//===- Lower.h - From the typed tree to IR
//----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs only on a file without errors. Immutable lets are values, mutable ones
// slots; operators on vectors become scalar operations, one a component; what
// stands after a jump in the same block is not lowered (`Dead`).
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_FRONTEND_LOWER_H
#define GOLDYC_FRONTEND_LOWER_H

#include "SemaBuiltins.h"
#include "SemaContext.h"
#include "goldyc/IR/Builder.h"

#include <functional>
#include <set>

namespace goldy::sema {

class Lower {
public:
  Lower(Context &C, FunctionInfo &Info, uint64_t WorkgroupMask)
      : C(C), M(C.M), Info(Info), Mask(WorkgroupMask), B(C.M, F) {}
  /// The whole function; its callees are in the module afterwards.
  Function run(std::string Name);

private:
  struct Storage {
    enum Kind : uint8_t { Absent, Value, Memory } Form = Absent;
    ValueId V;
    PlaceBase Base;
  };
  struct PlaceRef {
    PlaceBase Base;
    std::vector<PathElement> Path;
  };

  // Lower.cpp
  void parameters();
  void parameter(uint32_t Index);
  void bindValue(uint32_t Local, ValueId V);
  bool needsSlot(const Local &L) const;
  SlotId namedSlot(uint32_t Index);
  /// For a debugger, if one is to see it: the value in a slot of its own.
  void show(uint32_t Local, ValueId V);
  bool holdsArray(TypeId T) const;
  void at(ast::ExprId E) { B.setLoc(C[E].Where); }
  /// The closing brace, where branches join.
  void atEnd(ast::ExprId E) {
    Span Where = C[E].Where;
    Where.Begin = Where.End > Where.Begin ? Where.End - 1 : Where.Begin;
    B.setLoc(Where);
  }
  TypeId typeOf(ast::ExprId E) const { return C.ExprType[E]; }

  // LowerExpr.cpp. A value is invalid when it is void or control is Dead.
  ValueId value(ast::ExprId E);
  ValueId literal(ast::ExprId E);
  ValueId unary(ast::ExprId E);
  ValueId binary(ast::ExprId E);
  ValueId logical(ast::ExprId E);
  ValueId arithmetic(Op O, TypeId Result, ValueId L, ValueId R);
  ValueId scalarOp(Op O, ValueId L, ValueId R);
  ValueId compareBools(Op O, ValueId L, ValueId R);
  ValueId cast(ast::ExprId E);
  ValueId structLit(ast::ExprId E);
  ValueId arrayLit(ast::ExprId E);
  ValueId arrayRepeat(ast::ExprId E);
  bool isCheap(ast::ExprId E, unsigned &Budget) const;
  bool isCheapCall(ast::ExprId E, unsigned &Budget) const;
  ValueId component(ValueId V, uint32_t I);
  ValueId elementwise(TypeId Result,
                      const std::function<ValueId(uint32_t)> &Make);

  // LowerPlace.cpp
  ValueId name(ast::ExprId E);
  ValueId constant(const ConstInfo &K);
  /// What a name that stands for memory leads to.
  PlaceBase baseOf(ast::ExprId E);
  bool isTableName(ast::ExprId E) const;
  bool isImage(const PlaceBase &Base) const;
  bool isIndexed(const PlaceBase &Base) const;
  std::optional<PlaceRef> imagePlace(const PlaceBase &Base, ast::ExprId Index);
  ValueId field(ast::ExprId E);
  ValueId index(ast::ExprId E);
  bool isMemory(ast::ExprId E) const;
  std::optional<PlaceRef> place(ast::ExprId E);
  bool pushIndex(PlaceRef &P, ast::ExprId IndexExpr, TypeId Of);
  uint32_t memberNumber(TypeId Of, std::string_view Name) const;
  PlaceRef spill(ValueId V);
  ValueId load(const PlaceRef &P);
  void store(const PlaceRef &P, ValueId V);
  ValueId assign(ast::ExprId E);
  ValueId compound(ast::ExprId E);
  /// Evaluates into a place; a long repeated array becomes a loop.
  void evaluateInto(const PlaceRef &P, ast::ExprId E);
  bool isLongRepeat(ast::ExprId E) const;
  void repeatInto(const PlaceRef &P, ast::ExprId E);

  // LowerCall.cpp
  ValueId call(ast::ExprId E);
  ValueId callFunction(ast::ExprId E, uint32_t Callee);
  ValueId callBuiltin(ast::ExprId E, const Builtin &K);
  ValueId callRaw(ast::ExprId E, const CallTarget &T);
  ValueId length(ast::ExprId E);
  ValueId shapeFact(ast::ExprId E);
  ValueId ids(const Builtin &K);
  ValueId groupSize();
  ValueId atomic(ast::ExprId E, const Builtin &K);
  ValueId collective(ast::ExprId E, const Builtin &K);
  ValueId softmax(ast::ExprId E);
  ValueId uniformLoad(ast::ExprId E);
  ValueId assume(ast::ExprId E);
  ValueId debug(ast::ExprId E);
  ValueId elementwiseCall(ast::ExprId E, const Builtin &K);
  ValueId scalarCall(const Builtin &K, std::span<const ValueId> A);
  ValueId sign(ValueId X);
  ValueId smoothstep(ValueId Lo, ValueId Hi, ValueId X);
  ValueId clamp(ValueId X, ValueId Lo, ValueId Hi);
  ValueId vectorCall(ast::ExprId E, const Builtin &K);
  ValueId dot(ValueId A, ValueId V);
  ValueId cross(TypeId T, ValueId A, ValueId V);
  bool values(std::span<const ast::ExprId> Kids, std::vector<ValueId> &Out);
  const PlaceBase &resource(ast::ExprId E) const;

  // LowerControl.cpp
  ValueId blockValue(ast::BlockId Block);
  void statement(ast::StmtId S);
  void let(ast::StmtId S);
  ValueId ifValue(ast::ExprId E);
  ValueId matchValue(ast::ExprId E);
  ValueId matches(ast::ExprId E, const ast::MatchArm &Arm, ValueId Of);
  ValueId matchesOne(const ast::Pattern &P, TypeId T, ValueId Of);
  ValueId blockExpr(ast::ExprId E);
  void whileLoop(ast::ExprId E);
  void endlessLoop(ast::ExprId E);
  void forLoop(ast::ExprId E);
  void steppedLoop(ast::ExprId E, ValueId Lo, ValueId Hi, ValueId Step);
  void showCounter(ast::ExprId E, ValueId V);
  void loopBody(ast::ExprId E, InstId Loop, BlockId Into);
  uint32_t unrollOf(ast::ExprId E);
  void jump(ast::ExprId E);
  void returnValue(ast::ExprId E);
  /// Fills a block of a branch; its value goes to the slot, if there is one.
  /// True when control comes out of it.
  bool arm(BlockId Into, SlotId Result, const std::function<ValueId()> &Make);
  SlotId joinSlot(ast::ExprId E);
  ValueId joined(SlotId Result, bool Live);

  Context &C;
  Module &M;
  FunctionInfo &Info;
  uint64_t Mask;
  Function F;
  Builder B;
  bool Dead = false;
  /// Where names seen from here on begin and end to be known.
  uint32_t NameBegin = 0, NameEnd = 0;
  std::vector<Storage> Locals;
  std::map<ast::ExprId, InstId> JumpInst;
  std::set<ast::ExprId> LiveBreak;
};

} // namespace goldy::sema

#endif
