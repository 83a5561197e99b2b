//===- TextBody.h - Reads the body of a function of IR text ---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One operation a statement, so an operand is a literal or a name and nothing
// recurses but blocks. A name means a value, or a resource that a place starts
// from; which one it is decides between the forms that look alike (`p.x` is a
// load from a variable, but a component of a value). Statements are in
// TextBody.cpp, operations in TextOperations.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_IR_TEXTBODY_H
#define GOLDYC_LIB_IR_TEXTBODY_H

#include "TextParser.h"
#include "goldyc/IR/Builder.h"

namespace goldy {

/// What a name stands for.
struct TextBinding {
  bool IsPlace = false;
  ValueId Value;  ///< if not a place
  PlaceBase Base; ///< if a place
};

/// `gpu::atomic_add`, `ir::atomic_add_if`, `ir::load_if`, `ir::store_if`.
struct TextMemoryForm {
  Op Opcode;
  bool Guarded;
};

/// Appends what it reads to one function.
class TextBodyParser {
public:
  TextBodyParser(TextModuleParser &P, Function &F)
      : P(P), C(P.C), M(P.M), F(F), B(P.M, F) {}
  bool run();

private:
  using Result = InstId; ///< invalid after a report

  // Names
  bool bind(const std::string &Name, Span Where, TextBinding What);
  const TextBinding *lookUp(std::string_view Name) const;
  bool bindParams();
  void leaveScope(size_t Depth);

  // Statements
  bool block(BlockId Into, unsigned Depth, std::string *VarName = nullptr,
             Span VarWhere = {}, InstId Var = {});
  bool statement(unsigned Depth);
  bool declaration();
  bool declareMutable();
  bool workgroupArray(const std::string &Name, Span Where);
  bool control(unsigned Depth);
  bool ifStatement(unsigned Depth);
  bool loopStatement(unsigned Depth);
  bool forStatement(unsigned Depth);
  bool blockStatement(unsigned Depth);
  bool jump();
  bool effect();
  bool placeStatement();
  bool unrollAttribute();
  bool findTarget(bool IsContinue, InstId &Target);
  void enclose(InstId I) { Enclosing.push_back({Label, I}), Label.clear(); }

  // Operations: append, and return the instruction
  Result operation(TypeId Declared);
  Result wordOperation(TypeId Declared);
  Result pathOperation(TypeId Declared);
  Result callOperation(Op O, TypeId Declared);
  Result idOperation(Op O);
  Result memoryOperation(TextMemoryForm Form);
  Result helperCall(const std::string &Name, Span Where);
  Result placeOperation(const TextBinding &What);
  Result member(ValueId Of);
  Result afterOperand(ValueId First, TypeId Declared);
  Result unary(Op O);
  Result arrayConstruct(TypeId Declared);
  Result structConstruct(std::string_view Name, TypeId Declared);
  Result vectorConstruct(std::string_view Name, TypeId Declared);
  Result construct(TypeId Declared, const std::vector<ValueId> &Members,
                   Span Where);
  TypeId resultType(Op O, std::span<const ValueId> Operands,
                    TypeId Declared) const;

  // Parts
  bool operand(ValueId &Out);
  bool operandAfterName(std::string_view Name, Span Where, ValueId &Out);
  bool arguments(std::vector<ValueId> &Out, std::string_view Close,
                 bool AllowResources);
  bool placeBase(TextBinding &Out);
  bool path(const TextBinding &What, std::vector<PathElement> &Out,
            bool &IsLen);
  bool pathStep(TypeId T, bool IsBuffer, PathElement &Out);
  bool memberName(TypeId T, uint32_t &Member);
  bool completePlace(const TextBinding &What, PlaceId &Out, bool &IsLen);
  bool plainNumber() const {
    return C.token().Form == TextToken::Kind::Number &&
           !splitLiteral(C.token().Text).Type;
  }
  Result specConst();
  Result deviceSwitch();

  TextModuleParser &P;
  TextCursor &C;
  Module &M;
  Function &F;
  Builder B;
  std::map<std::string, TextBinding, std::less<>> Names;
  std::vector<std::string> Scope; ///< visible local names, in order
  struct Enclosure {
    std::string Label;
    InstId Inst;
  };
  std::vector<Enclosure> Enclosing;
  std::string Label;   ///< written before the next control statement
  uint32_t Unroll = 0; ///< ditto
  bool AtTop = true;   ///< variables may be declared
};

} // namespace goldy

#endif
