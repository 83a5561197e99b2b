//===- Printer.h - One function as Slang text -------------------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statements and control are the same in both forms of Slang text; the forms
// differ in how operations and places are spelled (Canonical*.cpp, Entry*.cpp).
//
// A value that is used once, in its own block, is not printed where it stands
// but kept as text until its use: expressions come out nested again. A kept
// expression that reads memory is put into a variable as soon as a statement
// comes that writes what it reads. Values with the user's name, and values
// used more often, are variables where they stand.
//
// Slang turns `do … while (false)` and switches with exits into SPIR-V that
// the validator refuses, so every breakable construct is a loop: a labelled
// block is `while (true) { … break; }`, and a loop whose tail must run on
// `continue` holds such a block as its body. Exits over several of them use
// Slang's labels.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TARGET_SLANG_PRINTER_H
#define GOLDYC_LIB_TARGET_SLANG_PRINTER_H

#include "Expr.h"
#include "Names.h"
#include "Uses.h"

#include "goldyc/Target/Slang/Emit.h"

#include <map>

namespace goldy::slang {

struct Line {
  unsigned Indent;
  std::string Text;
};

/// The printed statements of one block.
struct Sequence {
  std::vector<Line> Lines;
  unsigned Statements = 0;
  bool OnlyIf = false; ///< one statement, an `if`
  bool Ends = false;   ///< the last statement leaves the block
  bool MayGuard =
      false; ///< a loop's body: a leading exit becomes its condition
  std::optional<Expr> Guard; ///< leave the loop at once if this holds
};

/// How operations and places are written.
enum class Form : uint8_t { Canonical, Entry };

/// Names that all functions of the text share; all are taken before the first
/// function is printed.
struct Shared {
  Names Global;
  std::vector<std::string> Structs; ///< by StructId
  std::vector<std::string> Tables;  ///< by TableId
  std::vector<std::string> Specs;   ///< by SpecId
  std::set<uint32_t> UsedSpecs;
  std::map<std::string, uint32_t, std::less<>> Extents; ///< of workgroup arrays
  std::map<std::string, std::string, std::less<>> Instances; ///< key → name
  std::set<std::string, std::less<>> Needed; ///< the entry form's helpers
  std::string Block; ///< how the entry form reaches its parameter block
};

/// One function as it is printed: helpers once for each choice of the
/// workgroup arrays that stand for their parameters.
struct Instance {
  FuncId Function;
  /// By parameter: the workgroup array, empty for other parameters.
  std::vector<std::string> Bound;
  std::string Name;
};
std::string instanceKey(FuncId F, const std::vector<std::string> &Bound);

class Printer {
public:
  /// `Arrays`: the names of the function's own workgroup arrays.
  Printer(const Module &M, const Instance &Which, Form As, Shared &S,
          std::vector<std::string> Arrays,
          const std::vector<Effects> &AllEffects, DiagSink &Diags);

  /// The body's lines; empty after a diagnostic.
  std::optional<std::vector<Line>> body();
  std::string paramName(uint32_t Param) const { return ParamNames[Param]; }
  std::string layoutName(uint32_t Param) const;
  /// An f32 array with atomics: kept as `uint`s.
  bool floatAsWords(uint32_t Array) const { return FloatWords.count(Array); }

private:
  // --- Printer.cpp: values and statements
  Expr use(ValueId V);     ///< takes a kept expression out
  Expr useAtom(ValueId V); ///< may be repeated: a name or a literal
  Expr useInit(ValueId V); ///< may be `{…}`
  Expr fresh(ValueId V);
  Expr constant(TypeId T, uint64_t Bits);
  void define(InstId I, Expr E);
  void declare(InstId I, const Expr &E);
  std::string declareName(InstId I);
  void flush(const Touched &Written);
  void line(std::string Text);
  void statement(std::string Text);
  void splice(const Sequence &Inner, unsigned Extra = 1);
  void inst(InstId I);
  void declareSlots(InstId I);
  void store(InstId I);
  void load(InstId I);
  void uniformLoad(InstId I);
  void debug(InstId I);
  void atomic(InstId I);
  void callHelper(InstId I);
  /// Prints `Body` inside `if (guard) { … }` when the access is guarded.
  template <class T> void guarded(InstId I, T Body);
  std::string declaration(TypeId T, std::string_view Name);
  std::string typeText(TypeId T, Span Where);
  Expr unsupported(InstId I, std::string_view What);
  Expr slotOrArrayPlace(const Place &P);
  void appendPath(Expr &E, TypeId At, const Place &P, size_t From);
  Expr place(InstId I) {
    return As == Form::Canonical ? canonicalPlace(I) : entryPlace(I);
  }
  Expr operation(InstId I) {
    return As == Form::Canonical ? canonicalOperation(I) : entryOperation(I);
  }
  Expr loaded(InstId I, Expr At);
  std::string stored(InstId I, const Expr &V);
  bool neverInRange(InstId I) const;
  bool isWide(ValueId V) const { return M.Types.bits(F.typeOf(V)) == 64; }
  Expr zero(TypeId T);
  bool keptAsWord(const Place &P, bool Atomic) const;
  bool isWordArray(ValueId Ref) const;
  bool narrowsAccess(ValueId V, const Param &To) const;
  std::string baseName(const PlaceBase &Base) const;
  std::string atomicCall(InstId I, const Expr &At, const std::string &Old);

  // --- Control.cpp
  Sequence block(BlockId B, bool MayGuard = false);
  void ifElse(InstId I);
  bool becomesGuard(InstId I);
  bool isBreakOf(BlockId B, InstId Loop) const;
  void loop(InstId I);
  void forLoop(InstId I);
  std::string forHeader(InstId I);
  void breakable(InstId I);
  void exit(InstId Target, bool Continue);
  Sequence loopBody(InstId I);
  void printLoop(std::string Header, const std::string &Label,
                 const Sequence &Body);

  // --- Canonical*.cpp
  Expr canonicalPlace(InstId I);
  Expr imagePlace(const Place &P);
  void entryImageStore(InstId I);
  bool isImage(const Place &P) const {
    return P.Base.Kind == BaseKind::Param &&
           F.Params[P.Base.Index].Kind == ParamKind::Image;
  }
  Expr canonicalOperation(InstId I);
  Expr plainBinary(InstId I, std::string_view Operator, Prec P);
  Expr comparison(InstId I);
  Expr helperCall(InstId I, std::string_view Name);
  Expr componentwise(InstId I, std::string_view Name);
  Expr publishedCall(InstId I);
  Expr divideOrRemainder(InstId I);
  Expr shift(InstId I);
  Expr minOrMax(InstId I);
  Expr canonicalCast(InstId I);
  Expr logical(InstId I, std::string_view OnBits, Prec Bits,
               std::string_view OnBool, Prec Bool);
  Expr notOf(InstId I);
  Expr construct(InstId I);
  Expr extract(InstId I);
  Expr idOf(InstId I);
  bool canonicalMember(InstId I);
  Expr subscript(const PlaceBase &Base, Expr Index);
  Expr shapeFact(InstId I);
  void canonicalBufferAtomic(InstId I);

  // --- Entry*.cpp
  Expr entryPlace(InstId I);
  Expr entryOperation(InstId I);
  Expr entryId(InstId I);
  Expr entryArithmetic(InstId I, std::string_view Operator, Prec P,
                       std::string_view OnFloat);
  Expr entryUnary(InstId I, std::string_view OnInt, std::string_view OnFloat);
  Expr entryCast(InstId I);
  Expr entryRotate(InstId I, std::string_view Helper);
  Expr asWord(ValueId V);
  /// A call of a helper of the entry form, by the operands of `I`.
  Expr need(InstId I, std::string_view Helper);
  void needHelper(std::string_view Helper);

  const Module &M;
  const Function &F;
  const Instance &Which;
  Form As;
  Shared &S;
  const std::vector<Effects> &AllEffects;
  DiagSink &Diags;
  Uses U;
  Names Local;
  std::vector<std::string> ParamNames, WorkgroupNames;
  std::vector<std::string> LayoutNames; ///< of a helper's tensors
  std::set<uint32_t> FloatWords;
  SideMap<Slot, std::string> SlotNames;
  SideMap<Inst, Expr> Values;
  std::vector<InstId> Kept; ///< not printed yet, in program order
  std::string Texel;        ///< floats of the image element being stored
  Sequence *Out = nullptr;
  bool Failed = false;
  unsigned Temporaries = 0;

  struct Breakable {
    InstId Inst;
    bool Body = false; ///< the inner loop that `continue` leaves
    std::string Label; ///< given when an exit asks for it
  };
  std::vector<Breakable> Around;
};

/// The text of goldy.slang.
std::string_view libraryHead();
/// The hidden parameter for the layouts of a kernel's tensors.
inline constexpr std::string_view LayoutsName = "_goldy_layouts";
/// The hidden parameter for GlobalId, LocalId and WorkgroupId.
std::string_view idName(unsigned Kind);
/// Joins lines with four spaces a level.
std::string joined(const std::vector<Line> &Lines, unsigned Indent);
/// `float`, `float3`, `P`; empty for a type without Slang form.
std::string scalarOrStruct(const Module &M, const Shared &S, TypeId T);
/// `float name[16]`.
std::string declared(const Module &M, const Shared &S, TypeId T,
                     std::string_view Name);

} // namespace goldy::slang

#endif
