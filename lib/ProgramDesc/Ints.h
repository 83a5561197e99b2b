//===- Ints.h - The words of a template's ints ----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions become words of the run's ints: those of parameters and lengths,
// of loops' trips, and derived ones, each computed once, where the frame is
// written or at the innermost loop whose variable it reads.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_PROGRAMDESC_INTS_H
#define GOLDYC_LIB_PROGRAMDESC_INTS_H

#include "goldyc/ProgramDesc/Program.h"
#include "program/Template.h"

namespace goldy::prog {

class Ints {
public:
  /// Declares the words of scalar parameters in `T`, in their order.
  Ints(const Program &P, program::ProgramTemplate &T);

  /// Number of the template's input that stands for a parameter.
  void setInput(uint32_t Param, program::Number Input);

  /// The word that holds an integer expression or a parameter.
  program::Number word(ExprId E);
  /// The same, or the constant that it is, as a number.
  program::Value value(ExprId E);
  /// The word of the low or of the high 32 bits of a 64-bit integer: words that
  /// a frame computes have 63 bits, so what may have 64 is made by halves.
  program::Number half(ExprId E, bool High);
  /// The nodes that compute `E`.
  program::Expression nodes(ExprId E);

  /// A derived word; equal expressions share one.
  program::Number derived(program::Expression Is, std::string Origin);
  /// A word or constant that is `E` with `Tail` behind, computed exactly.
  program::Value exact(ExprId E, const program::Expression &Tail);
  /// 1 if buffers that the run brings for two inputs share a byte.
  program::Number overlap(program::Number A, program::Number B);

  /// Trips, before the loop is entered.
  program::Value trips(const Loop &L);
  /// The loop's variable is known from here on, until `leaveLoop`.
  void enterLoop(const Loop &L);
  /// The word of the trips' numbers, if anything read it, and what the loop
  /// derives each trip, in order.
  void leaveLoop(program::Loop &Out);

private:
  program::Number newWord(program::TemplateInt What, uint32_t Level);
  program::Number length(uint32_t Param);
  program::Expression compute(const Expr &X);
  program::Expression joined(const program::Expression &Is, ExprId E);
  program::Expression distance(const Loop &L);
  program::Expression step(const Loop &L);
  program::Number variable(uint32_t Var);
  uint32_t levelOf(const program::Expression &Is) const;
  std::string originOf(ExprId E) const;

  const Program &P;
  program::ProgramTemplate &T;
  std::vector<program::Number> Params, Lengths, Inputs; ///< by parameter
  std::vector<program::Number> Vars; ///< by loop variable; made when read
  std::map<ExprId, program::Number> Known;
  std::map<ExprId, program::Expression> Joined;   ///< of two halves
  std::map<std::string, program::Number> Derived; ///< by text of the nodes
  std::vector<uint32_t> Levels; ///< loops around what sets a word
  struct OpenLoop {
    const Loop *Of;
    std::optional<program::Number> Trip;
    std::vector<program::DerivedInt> Derived;
  };
  std::vector<OpenLoop> Open; ///< entered, the outermost first
};

/// The domain in which integers of a type compute.
program::Domain domainOf(TypeId Type);
inline program::ExpressionNode applied(program::Op O, program::Domain In = {}) {
  return program::Apply{O, In};
}
inline program::ExpressionNode fixed(program::Number N) {
  return program::Fixed{N};
}

} // namespace goldy::prog

#endif
