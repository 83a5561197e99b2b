//===- Infer.h - Names and types of one body
//--------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over a body in source order resolves names and unifies types; what
// depends on final types (literal ranges, operators, casts, match coverage) is
// noted on the way and checked once all types are frozen. An expression in
// error has the Error type, which fits everything, so each fault is told once.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_FRONTEND_INFER_H
#define GOLDYC_FRONTEND_INFER_H

#include "SemaBuiltins.h"
#include "SemaContext.h"

#include <set>

namespace goldy::sema {

/// Holds every u64 and i64.
using MatchValue = __int128;

enum class Use : uint8_t { Read, Write, Update };

class Infer {
public:
  /// `F` null: a constant expression.
  Infer(Context &C, FunctionInfo *F, uint32_t Number)
      : C(C), F(F), Number(Number), Before(C.Diags.errorCount()) {}
  bool constant(ast::ExprId E, TypeId Expected);
  bool body();

protected: // programs are typed by the same rules (InferProgram.h)
  /// Which variables declared without a value have one by now.
  struct Flow {
    bool Unreachable = false;
    std::set<uint32_t> Assigned;             ///< on every way to here
    std::map<uint32_t, ast::ExprId> Perhaps; ///< on some way; by whom
    /// What holds where two ways meet.
    void join(const Flow &Other);
  };
  struct Jump {
    std::optional<ast::Ident> Label;
    ast::ExprId Target;
    bool IsLoop;
    unsigned LoopDepth = 0;
    Flow AtEntry = {};
    std::optional<Flow> AtBreaks = {};
  };

  // InferExpr.cpp
  Ty infer(ast::ExprId E);
  Ty inferForm(ast::ExprId E);
  Ty inferConstantForm(ast::ExprId E);
  Ty inferInt(ast::ExprId E, bool Negated = false);
  Ty inferUnary(ast::ExprId E);
  Ty inferBinary(ast::ExprId E);
  Ty inferArithmetic(ast::ExprId E, Ty L, Ty R);
  Ty inferShift(Ty L, Ty R);
  Ty inferComparison(ast::ExprId E, Ty L, Ty R);
  Ty inferCast(ast::ExprId E);
  Ty inferCastSource(ast::ExprId E, TypeId Target);
  Ty inferAssign(ast::ExprId E);
  Ty inferStructLit(ast::ExprId E);
  void fieldsOf(ast::ExprId E, TypeId Struct);
  Ty inferArrayLit(ast::ExprId E);
  Ty inferArrayRepeat(ast::ExprId E);
  /// Infers against an expected type; the mismatch is told at the value.
  Ty coerce(ast::ExprId E, Ty Expected);
  std::string_view floatHelp(TypeId A, TypeId B) const;
  std::string conversionHelp(ast::ExprId E, Ty Expected, Ty Found) const;
  void mismatch(ast::ExprId E, Ty Expected, Ty Found);
  Ty mixed(ast::ExprId E, Ty L, Ty R);
  Ty refuse(diag::Code Code, Span S, std::string Message, std::string Help);
  bool isVector(Ty T) const;
  Ty elementOf(Ty Vector);
  Ty valueOf(Ty L, Ty R) const;

  // InferPlace.cpp
  Ty inferPlace(ast::ExprId E, Use U);
  Ty inferName(ast::ExprId E, Use U);
  Ty nameOfLocal(ast::ExprId E, uint32_t L, Use U);
  Ty inferPathName(ast::ExprId E, Use U);
  Ty unknownName(ast::ExprId E);
  Ty inferField(ast::ExprId E, Use U);
  void unknownField(const ast::Ident &Name, const StructType &S);
  Ty fieldOfStruct(ast::ExprId E, TypeId Struct);
  Ty componentsOf(ast::ExprId E, Ty Base, Ty Element, uint32_t Count, Use U);
  Ty inferIndex(ast::ExprId E, Use U);
  Ty elementValue(Ty Element);
  Ty indexOfValue(ast::ExprId E, Ty Base);
  void indexValue(ast::ExprId E);
  void imageIndex(ast::ExprId E);
  bool isImageElement(ast::ExprId E);
  void checkAccess(ast::ExprId Resource, uint32_t L, Use U);
  Ty notAPlace(ast::ExprId E);
  int lookup(std::string_view Name) const;
  void enterScope(std::string_view Name, uint32_t L);
  /// Names that came into scope after the first `Mark` go.
  void leaveScope(size_t Mark);
  /// The resource or workgroup array that an expression names.
  std::optional<uint32_t> resourceOf(ast::ExprId E);

  // InferCall.cpp
  Ty inferCall(ast::ExprId E);
  Ty callFunction(ast::ExprId E, uint32_t Callee);
  void resourceArgument(ast::ExprId Arg, const Local &Param);
  bool refuseForeign(ast::ExprId E, std::string_view Name);
  Ty callGpu(ast::ExprId E, std::string_view Name);
  Ty callBuiltin(ast::ExprId E, uint32_t Row);
  Ty callRaw(ast::ExprId E);
  Ty callVector(ast::ExprId E, TypeId Vector);
  Ty callFromBits(ast::ExprId E);
  Ty callAtomic(ast::ExprId E, const Builtin &B);
  bool atomicElement(ast::ExprId E, const Builtin &B, uint32_t L);
  Ty callBarrier(ast::ExprId E);
  Ty callDebug(ast::ExprId E);
  Ty callElementwise(ast::ExprId E, const Builtin &B);
  Ty callBits(ast::ExprId E, const Builtin &B);
  Ty callVectorFunction(ast::ExprId E, const Builtin &B);
  Ty callSelect(ast::ExprId E);
  Ty callLater(ast::ExprId E, const Builtin &B);
  Ty inferMethod(ast::ExprId E);
  Ty unknownMethod(ast::ExprId E, Ty Receiver);
  Ty inferLength(ast::ExprId E);
  Ty inferShapeFact(ast::ExprId E);
  Ty methodOfResource(ast::ExprId E, const Local &Of);
  Ty unknownCall(ast::ExprId E);
  Ty argumentsOnly(ast::ExprId E);
  bool arity(ast::ExprId E, std::string_view Name, size_t Expected);
  std::string shownName(ast::ExprId E) const;
  Ty replaceScalar(Ty T, TypeId Scalar);

  // InferCollective.cpp
  Ty callCollective(ast::ExprId E, const Builtin &B);
  Ty callSoftmax(ast::ExprId E);
  Ty callUniformLoad(ast::ExprId E);
  bool groupSuits(ast::ExprId E);
  bool extentSuits(ast::ExprId E);
  Ty scratchElement(ast::ExprId E, ast::ExprId Arg);
  bool scratchSuits(ast::ExprId E, ast::ExprId Arg, const Local &Scratch);
  void softmaxBuffer(ast::ExprId E, ast::ExprId Arg);

  // InferFlow.cpp
  void readDeferred(ast::ExprId E, uint32_t L);
  void assignDeferred(ast::ExprId Target);
  void assignedTwice(ast::ExprId Target, uint32_t L);
  void leaveByBreak(Jump &J);
  /// Control goes back to the head of the loop.
  void repeat(const Jump &J);
  void afterJump() { Now.Unreachable = true; }

  // InferControl.cpp
  Ty inferBlock(ast::BlockId B, Ty Expected);
  void missingValue(ast::BlockId B, Ty Expected);
  bool inferStmt(ast::StmtId S);
  bool inferLet(ast::StmtId S);
  bool letSharedArray(ast::StmtId S);
  void sharedArray(ast::StmtId S, ast::ExprId Call);
  Ty inferIf(ast::ExprId E, Ty Expected);
  Ty withoutElse(ast::ExprId E, Ty Then, Ty Expected);
  Ty inferMatch(ast::ExprId E, Ty Expected);
  Ty inferBlockExpr(ast::ExprId E, Ty Expected);
  Ty inferWhile(ast::ExprId E);
  Ty inferLoop(ast::ExprId E);
  Ty inferFor(ast::ExprId E);
  void loopBody(ast::ExprId E);
  void unrollFactor(const ast::Expr &X);
  Ty inferJump(ast::ExprId E);
  Ty inferReturn(ast::ExprId E);
  uint32_t declareLocal(Local L);

  // InferCheck.cpp
  void freeze();
  void checkInt(ast::ExprId E);
  void checkFloat(ast::ExprId E);
  void checkUnary(ast::ExprId E);
  void checkNegatedLiteral(ast::ExprId E);
  void checkBinary(ast::ExprId E);
  bool operatorFits(ast::ExprId E);
  void checkConstantOperands(ast::ExprId E);
  void checkCast(ast::ExprId E);
  void checkOperands(ast::ExprId E);
  bool refusesOperand(ast::ExprId E, const Builtin &B, Ty T);
  void refuseOperand(ast::ExprId E, Domain Wanted, const std::string &Found,
                     TypeId T);
  void checkDebug(ast::ExprId E);
  void checkVectorIndex(ast::ExprId E);
  void checkArray(ast::ExprId E);
  void checkPrivate(TypeId T, Span Where);
  void checkFor(ast::ExprId E);
  void checkStep(const ast::Expr &X);
  void checkMatch(ast::ExprId E);
  bool patternRange(const ast::Pattern &P, TypeId T, MatchValue &Lo,
                    MatchValue &Hi);

  using CheckFunction = void (Infer::*)(ast::ExprId);
  void later(CheckFunction Check, ast::ExprId E) {
    Checks.push_back({Check, E});
  }

  Context &C;
  FunctionInfo *F;
  uint32_t Number;
  unsigned Before;
  std::vector<std::pair<std::string_view, uint32_t>> Scope;
  std::map<std::string_view, std::vector<uint32_t>> Visible; ///< of Scope
  std::vector<Jump> Jumps;
  std::vector<std::pair<ast::ExprId, Ty>> Typed;
  std::vector<std::pair<CheckFunction, ast::ExprId>> Checks;
  std::set<TypeId> Oversized; ///< told of already
  ast::ExprId Discarded;   ///< the expression whose value the statement drops
  ast::ExprId Assigned;    ///< the whole value of a `let` or an assignment
  ast::ExprId ReturnValue; ///< the operand of the current `return`
  ast::ExprId WholeTarget; ///< the name that an assignment sets as a whole
  unsigned Depth = 0;      ///< blocks around the statement
  unsigned LoopDepth = 0;
  Flow Now;
};

} // namespace goldy::sema

#endif
