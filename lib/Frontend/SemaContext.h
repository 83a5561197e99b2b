//===- SemaContext.h - What the stages of semantic analysis share
//-----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Analysis runs in this order: items are collected by name; structs and
// constants are resolved on demand, in any order; signatures are resolved;
// each body is inferred (names and types go to side tables keyed by syntax
// node) and its frozen types are checked; a file without errors is lowered.
// The tree is never changed, so one table serves all bodies of a file.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_FRONTEND_SEMACONTEXT_H
#define GOLDYC_FRONTEND_SEMACONTEXT_H

#include "goldyc/Frontend/Sema.h"

#include <map>

namespace goldy::sema {

// --- Types under inference

struct TyNode;
using Ty = Handle<TyNode>;

enum class TyKind : uint8_t {
  Open,    ///< nothing known yet
  Integer, ///< an integer literal's type: some integer, i32 if nothing decides
  Known,   ///< a scalar, vector, struct or void type
  Array,   ///< of an element type that may still be open
  Never,   ///< of an expression that does not come back
  Error    ///< already reported; fits everything
};

struct TyNode {
  TyKind Kind = TyKind::Open;
  TypeId Type;        ///< Known
  Ty Element;         ///< Array
  uint32_t Count = 0; ///< Array
  Ty Parent;          ///< set once merged into another
};

/// The union-find forest of one file's inference variables.
class TypeVars {
public:
  explicit TypeVars(TypeTable &Types);
  /// Array types come back as Array nodes, so that unification sees inside.
  Ty known(TypeId T);
  Ty open() { return push({}); }
  Ty integer();
  Ty array(Ty Element, uint32_t Count);
  Ty never() const { return NeverTy; }
  Ty error() const { return ErrorTy; }
  Ty find(Ty T) const;
  const TyNode &node(Ty T) const { return Nodes[find(T)]; }
  TyKind kind(Ty T) const { return node(T).Kind; }
  bool isError(Ty T) const { return kind(T) == TyKind::Error; }
  /// The type if it is Known, else invalid.
  TypeId knownType(Ty T) const;
  /// Makes the two one; false, with nothing changed at the top level, if they
  /// cannot be. Never and Error fit everything and stay what they are.
  bool unify(Ty A, Ty B);
  /// As messages write it: `f32`, `[i32; 4]`, `integer`.
  std::string name(Ty T) const;
  /// The final type: an undecided integer is i32; invalid for Error and Open;
  /// void for Never.
  TypeId freeze(Ty T);

private:
  Ty push(TyNode N) { return Nodes.push(N); }
  bool unifyArrays(Ty A, Ty B);
  bool holds(Ty Outer, Ty Inner) const;
  TypeTable &Types;
  mutable Arena<TyNode> Nodes; ///< `find` shortens ways
  std::map<uint32_t, Ty> KnownTypes;
  Ty NeverTy, ErrorTy;
};

// --- Items

enum class ResolveState : uint8_t { Untouched, Active, Done, Failed };

struct StructInfo {
  const ast::Item *Item = nullptr;
  ResolveState State = ResolveState::Untouched;
  TypeId Type;
  unsigned Depth = 1; ///< of structs in it, itself included
};

struct ConstInfo {
  const ast::Item *Item = nullptr;
  ResolveState State = ResolveState::Untouched;
  bool TypeResolved = false;
  TypeId Type; ///< once resolved; invalid when in error
  uint64_t Bits = 0;
  std::vector<uint64_t> Elements;      ///< of a table, whose Type is an array
  TableId Lowered;                     ///< of a table that some function uses
  const std::string *Define = nullptr; ///< the text of -D
  std::string_view DefinedBy = "-D";
  SpecId Spec;        ///< a specialisation constant, once declared
  bool Fixed = false; ///< … whose value the file's meaning depends on
};

enum class LocalKind : uint8_t { Value, Resource, WorkgroupArray };

/// Anything a name in a body may stand for: parameters first, then lets and
/// loop variables in source order.
struct Local {
  std::string_view Name;
  Span Where;
  LocalKind Kind = LocalKind::Value;
  Ty Type;                        ///< Value; element type of the others
  TypeId Final;                   ///< after freezing
  uint32_t Extent = 0;            ///< WorkgroupArray
  bool Mutable = false;           ///< assignable
  bool Deferred = false;          ///< `let x;`: assigned later
  unsigned LoopDepth = 0;         ///< loops around the declaration
  bool InKernel = false;          ///< parameter of a kernel
  bool IsParam = false;           ///< parameter number = index in Locals
  bool IsUniform = false;         ///< Value: lies in a uniform block
  bool IsImage = false;           ///< Resource: indexed by x and y
  Access Acc = Access::ReadWrite; ///< resources
  bool IsTensor = false;          ///< resources: indexed through a layout
  uint32_t Device = 0; ///< resources of a program: in FunctionInfo::Devices
  std::optional<std::vector<ContractDim>> Contract; ///< tensors of a kernel
};

struct CallEdge {
  uint32_t Callee;
  Span Where;
};

/// Memory that a program makes.
struct ProgramBuffer {
  uint32_t Local = 0; ///< its name, in FunctionInfo::Locals
  ast::ExprId Count;  ///< elements of a temporary; invalid: `Elements`
  uint32_t Elements = 0;
  bool TwoCopies = false;
};

/// A use of an atomic's old value, by what the user wrote.
struct OldValueUse {
  Span Where;
  std::string Name;
};

struct FunctionInfo {
  const ast::Item *Item = nullptr;
  bool IsKernel = false;
  bool IsProgram = false;
  bool Nondeterministic = false;
  bool WordsBinding = false;
  bool SignatureOk = true;
  uint32_t NumParams = 0;
  std::vector<Local> Locals;
  TypeId Return = types::Void;
  std::array<uint32_t, 3> WorkgroupSize{1, 1, 1};
  std::vector<CallEdge> Calls;
  std::vector<OldValueUse> OldValueUses;
  std::vector<Span> FloatAtomics;   ///< additions of floats
  std::vector<std::string> Devices; ///< of a program; empty: it names none
  std::vector<ProgramBuffer> Buffers;
  /// Lowered forms by the bit mask of parameters bound to workgroup arrays.
  std::map<uint64_t, FuncId> Instances;
};

// --- What names and calls mean

struct NameRef {
  enum Kind : uint8_t { None, Local, Const, Value } Form = None;
  uint32_t Index = 0; ///< Local or Const
  TypeId Type;        ///< Value: a named constant of the language
  uint64_t Bits = 0;
};

struct CallTarget {
  enum Kind : uint8_t {
    None,
    Function,
    Builtin,
    Vector,
    RawOp,
    Length,
    Dim, ///< of a tensor
    Rank
  } Form = None;
  uint32_t Index = 0; ///< Function number or row of the table of builtins
  Op Raw = Op::Add;   ///< RawOp
  TypeId Type;        ///< Vector
};

struct ConstantValue {
  /// NotYet: no constant while specialisation constants may change.
  enum Kind : uint8_t {
    Unknown,
    NotYet,
    NotConstant,
    Constant
  } State = Unknown;
  uint64_t Bits = 0;
};

/// Structs in structs, constants that need constants, helpers that call
/// helpers: so many of them in a row.
inline constexpr unsigned MaxItemDepth = 128;

template <class V> using ItemTable = std::map<std::string, V, std::less<>>;

struct Context {
  Context(const SourceManager &SM, const ast::Ast &Tree,
          const SemaOptions &Options, DiagSink &Diags)
      : SM(SM), Tree(Tree), Options(Options), Diags(Diags), Vars(M.Types) {}

  const SourceManager &SM;
  const ast::Ast &Tree;
  const SemaOptions &Options;
  DiagSink &Diags;
  Module M;
  TypeVars Vars;

  std::vector<StructInfo> Structs;
  std::vector<ConstInfo> Consts;
  std::vector<FunctionInfo> Functions;
  /// By path from the file itself: `helper`, `blur::helper`.
  ItemTable<uint32_t> StructNames, ConstNames, FunctionNames;
  /// Modules named by `mod`, and whether their files were read: uses of one
  /// that was not stay silent.
  ItemTable<bool> ModuleNames;
  /// Items in error (uses of the name stay silent) and items for the host.
  ItemTable<const ast::Item *> HiddenItems;
  /// The module whose item is being analysed: paths start there.
  uint32_t Module = 0;

  /// Names in scope of the body that is being inferred: what a constant
  /// expression inside it cannot use.
  const std::vector<std::pair<std::string_view, uint32_t>> *BodyScope = nullptr;

  /// Not 0: what is evaluated must have a value now.
  unsigned MustKnow = 0;

  /// Structs and constants being resolved, one inside the other.
  unsigned ItemDepth = 0;
  bool DepthReported = false;

  SideMap<ast::Expr, TypeId> ExprType; ///< frozen; invalid when in error
  SideMap<ast::Expr, NameRef> Names;
  SideMap<ast::Expr, CallTarget> Calls;
  SideMap<ast::Expr, ast::ExprId> JumpTarget; ///< of Break, Continue
  SideMap<ast::Expr, bool> HasBreak{false};   ///< loops and labelled blocks
  SideMap<ast::Stmt, uint32_t> LetLocal{~0u};
  SideMap<ast::Expr, uint32_t> ForLocal{~0u};
  SideMap<ast::Expr, ConstantValue> Constants; ///< memo of constantBits

  const ast::Expr &operator[](ast::ExprId E) const { return Tree[E]; }
  /// The expression inside any parentheses.
  ast::ExprId strip(ast::ExprId E) const;
  /// The value of a block that holds nothing else, as in `::<f32, { N * 2 }>`.
  ast::ExprId onlyValue(ast::ExprId Block) const;
  DiagBuilder error(diag::Code C, Span S) { return Diags.report(C, S); }
  std::string typeName(TypeId T) const { return M.Types.name(T); }
};

/// `gpu::x` of `gpu::x` and `goldy::gpu::x`; empty for any other path.
std::string_view gpuName(const ast::Path &P);
/// The path as the user wrote it.
std::string pathText(const ast::Path &P);
/// "did you mean `x`?" as a help note, and as the fix of the text at `Where`,
/// if a candidate is near, else `Otherwise`.
void suggest(DiagBuilder &D, std::string_view Name, Span Where,
             const std::vector<std::string> &Candidates,
             std::string_view Otherwise, std::string_view Prefix = "");
/// Tells of a name that an item in error, a host item or a module that could
/// not be read hides; false if none.
bool reportHidden(Context &C, std::string_view Name, Span Where);

// --- Items by name

/// While it lives, paths start at the item's module.
class InModuleOf {
public:
  InModuleOf(Context &C, const ast::Item &I) : C(C), Saved(C.Module) {
    C.Module = I.Module;
  }
  ~InModuleOf() { C.Module = Saved; }
  InModuleOf(const InModuleOf &) = delete;
  InModuleOf &operator=(const InModuleOf &) = delete;

private:
  Context &C;
  uint32_t Saved;
};

/// A name or path within a module, as the tables of items have it.
std::string qualified(const Context &C, uint32_t Module, std::string_view Path);
/// The item's own name, as the tables and the IR have it.
std::string qualifiedName(const Context &C, const ast::Item &I);
/// The entry of a path that stands in the current module; null if none.
template <class V>
const V *findItem(const Context &C, const ItemTable<V> &Table,
                  std::string_view Path) {
  typename ItemTable<V>::const_iterator It =
      Table.find(qualified(C, C.Module, Path));
  return It == Table.end() ? nullptr : &It->second;
}
/// The paths that lead to items of a table from the current module.
template <class V>
std::vector<std::string> namesOf(const Context &C, const ItemTable<V> &Table) {
  std::vector<std::string> Names;
  std::string Prefix = qualified(C, C.Module, "");
  for (const auto &[Name, Value] : Table)
    if (Name.starts_with(Prefix))
      Names.push_back(Name.substr(Prefix.size()));
  return Names;
}

// --- Items (SemaItems.cpp)

/// Fills the tables of structs, constants and functions; duplicates, unknown
/// attributes and refused items are reported.
void collectItems(Context &C);
/// The shape contract that a parameter's attributes state, if any; what is
/// wrong with it is reported.
std::optional<std::vector<ContractDim>> resolveContract(Context &C,
                                                        const ast::ParamNode &P,
                                                        const Local &L,
                                                        bool IsKernel);
/// Matches -D options with constants.
void bindDefines(Context &C);
/// Parameters, result, workgroup size of every function.
void resolveSignatures(Context &C);
/// False, reported once a file, when items need each other over more steps
/// than MaxItemDepth.
bool checkItemDepth(Context &C, unsigned Depth, const ast::Ident &Name);
/// Reports each cycle of calls once, and chains that are too long.
void checkRecursion(Context &C);
/// Where some kernel that gets there is not marked `nondeterministic`, atomic
/// additions of floats are refused and old values that are used are warned of.
void checkSchedules(Context &C);
/// Reports an atomic addition of floats in a kernel without the mark; false.
bool floatAtomicNeedsMark(Context &C, Span Where);

// --- Specialisation constants (SemaSpecs.cpp)

inline constexpr uint32_t MaxSpecs = 1000;
/// Specialisation constants that are evaluated while this lives become fixed.
class MustKnowValues {
public:
  explicit MustKnowValues(Context &C) : C(C) { ++C.MustKnow; }
  ~MustKnowValues() { --C.MustKnow; }
  MustKnowValues(const MustKnowValues &) = delete;
  MustKnowValues &operator=(const MustKnowValues &) = delete;

private:
  Context &C;
};
/// The constant is marked `#[goldy::spec]`.
bool isSpec(const ConstInfo &K);
/// Matches --spec options with them.
void bindSpecs(Context &C);
/// Enters them into the module, in declaration order. After their evaluation.
void declareSpecs(Context &C);

// --- Types (SemaTypes.cpp)

/// A value type from the syntax; invalid when it was refused (reported).
TypeId resolveType(Context &C, ast::TypeNodeId T);
/// The struct's type, resolved on demand; invalid when it failed.
TypeId structType(Context &C, uint32_t Index);
/// Element type of a buffer or workgroup array; reported as resolveType.
/// The same for what holds a value: `()` is refused.
TypeId resolveValueType(Context &C, ast::TypeNodeId T);
TypeId resolveElementType(Context &C, ast::TypeNodeId T);
/// Element type of a buffer: also the narrow types that only memory holds.
TypeId resolveBufferElement(Context &C, ast::TypeNodeId T);
/// A constant expression that counts something (array length, `::<N>`).
std::optional<uint32_t> resolveCount(Context &C, ast::ExprId E,
                                     std::string_view What);
/// Whether a value is beyond what a work-item may hold.
bool isOversized(const Context &C, TypeId T);
/// `gpu::Float3` and its kind by name without path; invalid if none.
TypeId vectorTypeByName(Context &C, std::string_view Name);
TypeId scalarTypeByName(std::string_view Name);

// --- Constants (SemaConst.cpp)

/// The declared type, a scalar, resolved on demand; invalid when reported.
TypeId constType(Context &C, uint32_t Index);
/// Evaluates the constant or table on demand; false when it failed (reported).
bool evaluateConst(Context &C, uint32_t Index);
/// The value of a typed expression if it is a constant expression: literals,
/// scalar constants, operators and casts on them. Reports nothing.
std::optional<uint64_t> constantBits(Context &C, ast::ExprId E);
/// The number that the bits of an integer or bool are, two's complement; a u64
/// above the range comes out negative.
int64_t signedValue(TypeId T, uint64_t Bits);
/// Bits of an integer literal as `T`; empty if out of range.
std::optional<uint64_t> integerBits(TypeId T, uint64_t Value, bool Negative);
/// Bits of a decimal literal, rounded once; empty if it overflows.
std::optional<uint32_t> floatBits(std::string_view Digits);
/// The operation of a binary operator (not the logical ones).
Op opOf(ast::BinaryOp O);
std::string_view spelling(ast::BinaryOp O);
bool isComparison(ast::BinaryOp O);
bool isShift(ast::BinaryOp O);

// --- Bodies

/// Types a constant expression outside bodies; `Expected` may be invalid
/// (then a bare integer is u32). False when something was reported.
bool inferConstant(Context &C, ast::ExprId E, TypeId Expected);
/// Types one function's body; false when something was reported.
bool inferBody(Context &C, uint32_t Function);
/// The same for a program (InferProgram.cpp).
bool inferProgram(Context &C, uint32_t Function);
/// The device that `#[on(NAME)]` among the attributes gives, else the first.
uint32_t deviceOf(Context &C, const FunctionInfo &F,
                  const std::vector<ast::Attribute> &Attributes);
/// The number of a device by its name; reported if there is none.
std::optional<uint32_t> findDevice(Context &C, const FunctionInfo &F,
                                   ast::ExprId Name);
/// The table in the module, put there when it is first used.
TableId lowerTable(Context &C, uint32_t Const);
/// Lowers a function with the given parameters bound to workgroup arrays,
/// its callees first. Only after an analysis without errors.
FuncId lowerFunction(Context &C, uint32_t Function, uint64_t WorkgroupMask);
/// A program, once the module has all kernels (LowerProgram.cpp).
prog::Program lowerProgram(Context &C, uint32_t Function);

} // namespace goldy::sema

#endif
