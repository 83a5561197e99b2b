//===- InferProgram.h - Names and types of a program ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program's body is a list of steps, so its statements are read here; the
// values in them are typed as those of kernels are, by the same rules, and what
// programs cannot compute is refused once types are known.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_FRONTEND_INFERPROGRAM_H
#define GOLDYC_FRONTEND_INFERPROGRAM_H

#include "Infer.h"

namespace goldy::sema {

/// A statement taken apart: `scale(x, n).over_1d(n).on(gpu)`.
struct StepSyntax {
  ast::ExprId Call;  ///< the call itself; invalid if it is none
  ast::ExprId Grid;  ///< `.over_*` or `.groups`, if any
  ast::ExprId On;    ///< `.on`, if any
  ast::ExprId Twice; ///< one of those that is there already
};
StepSyntax stepSyntax(const Context &C, ast::ExprId E);

/// How a grid was written: axes of `.over_1d` to `.over_3d`, 0 for `.groups`.
unsigned gridAxes(std::string_view Method);

/// Loops around one another, at most (schemas/program/Rules.def, P51).
inline constexpr unsigned MaxProgramLoops = 16;

class InferProgram : public Infer {
public:
  using Infer::Infer;
  bool run();

private:
  // InferProgram.cpp
  void block(ast::BlockId B);
  void statement(ast::StmtId S);
  void let(ast::StmtId S);
  void letValue(ast::StmtId S);
  void letBuffer(ast::StmtId S, ast::ExprId Call);
  TypeId bufferElement(ast::ExprId Call, bool Temporary, ProgramBuffer &B);
  void loop(ast::ExprId E);
  void stopFlag(const ast::Expr &X);
  void checkLoop(ast::ExprId E);
  void refuseForm(ast::ExprId E);
  void value(ast::ExprId E, Ty Expected);
  bool allowed(ast::ExprId E);
  bool allowedCall(ast::ExprId E);
  void checkArithmetic(ast::ExprId E);
  bool computes(ast::ExprId E);

  // InferProgramSteps.cpp
  void step(ast::ExprId E);
  void dispatch(ast::ExprId E, const StepSyntax &S);
  std::optional<uint32_t> callee(ast::ExprId Call);
  bool takesItsParameters(ast::ExprId Call, const FunctionInfo &Kernel);
  void arguments(ast::ExprId Call, uint32_t Kernel);
  void bufferArgument(ast::ExprId Arg, const FunctionInfo &Kernel,
                      const Local &Param);
  void blockArgument(ast::ExprId Arg, const FunctionInfo &Kernel,
                     const Local &Param);
  std::optional<uint32_t> blockOf(ast::ExprId E);
  void written(ast::ExprId Arg, uint32_t L, std::string_view By);
  void grid(ast::ExprId Grid);
  void copy(ast::ExprId Call);
  std::optional<uint32_t> bufferNamed(ast::ExprId Arg, std::string_view What);
  void hostCall(ast::ExprId Call);
  void noGrid(const StepSyntax &S, std::string_view What);

  std::vector<ast::ExprId> Values, Loops; ///< to be checked with final types
  unsigned Nest = 0;
};

} // namespace goldy::sema

#endif
