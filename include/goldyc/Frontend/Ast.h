//===- Ast.h - Syntax tree of the kernel language
//---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tree is what the user wrote, names unresolved, with a span on every
// node. Nodes live in the arenas of one `Ast`; string views point into the
// source text, which outlives it. The parser refuses what is not Rust at all
// (01xx) and what Rust has but kernels have not (04xx: closures, macros,
// references, patterns …) where it can be told from the syntax; the node is
// then `Error` and later stages stay silent about it.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_FRONTEND_AST_H
#define GOLDYC_FRONTEND_AST_H

#include "goldyc/Support/Handle.h"
#include "goldyc/Support/Source.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace goldy::ast {

struct Expr;
using ExprId = Handle<Expr>;
struct Stmt;
using StmtId = Handle<Stmt>;
struct BlockNode;
using BlockId = Handle<BlockNode>;
struct TypeNode;
using TypeNodeId = Handle<TypeNode>;

struct Ident {
  std::string_view Text;
  Span Where;
};

/// `a::b::c` with optional generic arguments on the last segment.
struct Path {
  std::vector<Ident> Segments;
  std::vector<TypeNodeId> GenericTypes; ///< `::<f32, 256>`: types …
  std::vector<ExprId> GenericExprs;     ///< … and constants, each in order
  Span Where;
};

enum class TypeForm : uint8_t {
  Named,     ///< Name (f32, gpu::Float3, P, gpu::BufRO<T> by GenericTypes)
  Slice,     ///< [T]
  Array,     ///< [T; N]
  Reference, ///< &T, &mut T
  Unit,      ///< ()
  Error
};
struct TypeNode {
  TypeForm Form = TypeForm::Error;
  Span Where;
  Path Name;
  TypeNodeId Element; ///< Slice, Array, Reference
  ExprId Count;       ///< Array
  bool Mutable = false;
};

enum class ExprForm : uint8_t {
  Int,
  Float,
  Bool, ///< literals
  Name, ///< Path
  Unary,
  Binary,
  Assign,      ///< Assign: `=` or compound
  Cast,        ///< Kids[0] as Type
  Call,        ///< Callee Path in Name, Kids = arguments
  MethodCall,  ///< Kids[0].Member(Kids[1..])
  Field,       ///< Kids[0].Member
  Index,       ///< Kids[0][Kids[1]]
  StructLit,   ///< Name { Fields… }: FieldNames with Kids
  ArrayLit,    ///< [Kids…]
  ArrayRepeat, ///< [Kids[0]; Kids[1]]
  Paren,       ///< (Kids[0])
  If,          ///< Kids[0] condition, Then, Else (a block or an If in Kids[1])
  Match,       ///< Kids[0] scrutinee, Arms
  Block,
  Loop,
  While,
  For, ///< valued or not; Body; Label
  Break,
  Continue,
  Return, ///< Label; Return value in Kids
  Range,  ///< transient: a finished tree holds none (they become For heads and
          ///< patterns, or were refused)
  Str,    ///< Digits: only the name argument of `gpu::host_call`
  Error
};

enum class UnaryOp : uint8_t { Neg, Not, Deref };
enum class BinaryOp : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  And,
  Or,
  Xor,
  Shl,
  Shr,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  LogicalAnd,
  LogicalOr
};

/// A literal, range `lo..=hi` / `lo..hi`, or `_`; alternatives by `|`.
struct Pattern {
  bool Wildcard = false;
  ExprId Lo, Hi; ///< Hi invalid for a single literal
  bool Inclusive = false;
  Span Where;
};
struct MatchArm {
  std::vector<Pattern> Alternatives;
  ExprId Body;
  Span Where;
};

enum class UnrollKind : uint8_t { None, Full, Factor };

struct Expr {
  ExprForm Form = ExprForm::Error;
  Span Where;   ///< the whole expression
  Span OpWhere; ///< the operator, method name, field name or keyword
  std::vector<ExprId> Kids;
  Path Name;    ///< Name, Call, StructLit
  Ident Member; ///< Field (also a tuple index), MethodCall
  std::vector<TypeNodeId> GenericTypes; ///< MethodCall turbofish
  std::vector<ExprId> GenericExprs;
  TypeNodeId Type; ///< Cast
  UnaryOp Unary = UnaryOp::Neg;
  BinaryOp Binary = BinaryOp::Add; ///< Binary; compound Assign
  bool Compound = false;           ///< Assign: `op=`
  uint64_t IntValue = 0;           ///< Int (value ≤ 2^64-1), Bool
  bool IntOverflow = false;        ///< Int: does not fit 64 bits
  std::string_view
      Digits; ///< Float: text without underscores' removal, without suffix
  std::string_view Suffix;       ///< "u32", "f32", … or empty
  std::vector<Ident> FieldNames; ///< StructLit
  BlockId Body, Then, Else; ///< If: Then/Else; Block, Loop, While, For: Body
  std::optional<Ident>
      Label; ///< 'name on loops and blocks; target of Break/Continue
  Ident Var; ///< For
  bool VarWildcard = false;     ///< For: `_`
  ExprId RangeLo, RangeHi;      ///< For
  bool Inclusive = false;       ///< For, Range
  ExprId Step;                  ///< For: .step_by(Step)
  ExprId FlagBuffer, FlagIndex; ///< For: .while_flag(buffer, index)
  UnrollKind Unroll = UnrollKind::None;
  ExprId UnrollFactor;
  std::vector<MatchArm> Arms;
};

struct AttributeArg {
  Ident Key;    ///< `workgroup_size`, `nondeterministic`, `binding` …
  ExprId Value; ///< after `=`, if any
  Span Where;
};
struct Attribute {
  Path Name; ///< goldy::compute, goldy::gpu, unroll, allow …
  std::vector<AttributeArg> Args;
  bool Inner = false; ///< #![…]
  Span Where;
};

enum class StmtForm : uint8_t { Let, Expr, Empty, Error };
struct Stmt {
  StmtForm Form = StmtForm::Empty;
  Span Where;
  Ident Name;            ///< Let
  bool Wildcard = false; ///< `let _ = …`
  bool Mutable = false;
  TypeNodeId Type;                   ///< Let, optional
  ExprId Value;                      ///< Let (optional initialiser), Expr
  bool Semicolon = true;             ///< Expr: ended by `;`
  std::vector<Attribute> Attributes; ///< Let: `two_copies`, `allow` …
};

/// `{ stmts… tail }`: Tail is the value expression without semicolon, if any.
/// `while`, `for` and an `if` without `else` are never a tail: they have no
/// value. `()` as an expression is a Block expression with an empty block.
struct BlockNode {
  std::vector<StmtId> Stmts;
  ExprId Tail;
  Span Where; ///< with both braces
};

struct ParamNode {
  std::vector<Attribute> Attributes;
  Ident Name;
  bool Mutable = false;
  TypeNodeId Type;
  Span Where;
};

enum class ItemForm : uint8_t {
  Const,
  Struct,
  Function,
  Use,
  Mod,
  HostOnly,
  Error
};
struct FieldNode {
  Ident Name;
  TypeNodeId Type;
  Span Where;
};
struct Item {
  ItemForm Form = ItemForm::Error;
  std::vector<Attribute> Attributes;
  std::string Doc;
  Ident Name;
  Span Where;
  // Const
  TypeNodeId Type;
  ExprId Value;
  // Struct
  std::vector<FieldNode> Fields;
  // Function
  std::vector<ParamNode> Params;
  TypeNodeId ReturnType;
  BlockId Body;
  // Use
  Path UsePath;
  uint32_t Module = 0; ///< the module that holds the item: index in Modules
  uint32_t Opens = 0;  ///< Mod: its module; 0 if that could not be read
  // HostOnly: what it is (`impl`, `use` …). The parser has given the warning
  // `host-item`; Name is set where there is one, so that uses of the name can
  // say why it is missing. Error: Name is set where known; the parser has
  // reported it, so uses of the name stay silent.
  std::string_view HostWhat;
};

/// A file as part of a program: the file itself, and one for each `mod`.
struct ModuleNode {
  std::string Path; ///< `blur::edges`; empty for the file itself
  FileId File;
  uint32_t Parent = 0; ///< index in Modules
  Span Where;          ///< of its `mod`
};

/// One parsed file with the modules that it names.
struct Ast {
  FileId File;
  std::vector<ModuleNode> Modules{1};
  Arena<Expr> Exprs;
  Arena<Stmt> Stmts;
  Arena<BlockNode> Blocks;
  Arena<TypeNode> Types;
  std::vector<Item> Items;
  std::vector<Attribute> InnerAttributes;
  /// The text could not be read to its end (unclosed delimiter, bad UTF-8,
  /// nesting): names may be missing, so later stages must not run.
  bool Incomplete = false;
  const Expr &operator[](ExprId E) const { return Exprs[E]; }
  const Stmt &operator[](StmtId S) const { return Stmts[S]; }
  const BlockNode &operator[](BlockId B) const { return Blocks[B]; }
  const TypeNode &operator[](TypeNodeId T) const { return Types[T]; }
};

} // namespace goldy::ast

#endif
