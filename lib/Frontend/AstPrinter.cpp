//===- AstPrinter.cpp - The syntax tree as indented text ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One node a line, children indented by two: what --emit=ast prints and the
// parser's tests compare. Types and paths print on their parent's line as the
// user would write them.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Frontend/Parser.h"

using namespace goldy;
using namespace goldy::ast;

namespace {

std::string_view formName(ExprForm F) {
  static constexpr std::string_view Names[] = {
      "int",    "float", "bool",     "name",   "unary", "binary", "assign",
      "cast",   "call",  "method",   "field",  "index", "struct", "array",
      "repeat", "paren", "if",       "match",  "block", "loop",   "while",
      "for",    "break", "continue", "return", "range", "string", "error"};
  return Names[static_cast<unsigned>(F)];
}

std::string_view operatorText(BinaryOp Op) {
  static constexpr std::string_view Names[] = {
      "+",  "-",  "*",  "/", "%",  "&", "|",  "^",  "<<",
      ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||"};
  return Names[static_cast<unsigned>(Op)];
}

std::string_view operatorText(UnaryOp Op) {
  return Op == UnaryOp::Neg ? "-" : Op == UnaryOp::Not ? "!" : "*";
}

class Printer {
public:
  Printer(std::ostream &Out, const Ast &Tree) : Out(Out), Tree(Tree) {}
  void print();

private:
  void line(const std::string &Text) {
    Out << std::string(2 * Level, ' ') << Text << '\n';
  }
  std::string inlineExpr(ExprId E);
  std::string type(TypeNodeId T);
  std::string namedType(const Path &P);
  std::string path(const Path &P);
  std::string generics(const std::vector<TypeNodeId> &Types,
                       const std::vector<ExprId> &Exprs);
  std::string pattern(const Pattern &P);
  std::string header(const Expr &E);
  void attribute(const Attribute &A);
  void item(const Item &I);
  void function(const Item &I);
  void expr(ExprId E);
  void children(const Expr &E);
  void forChildren(const Expr &E);
  void arm(const MatchArm &A);
  void block(std::string_view Title, BlockId B);
  void stmt(StmtId S);
  void labelled(std::string_view Title, ExprId E);

  std::ostream &Out;
  const Ast &Tree;
  unsigned Level = 0;
};

/// Literals and names as they are, other expressions by their form.
std::string Printer::inlineExpr(ExprId Id) {
  if (!Id)
    return "";
  const Expr &E = Tree[Id];
  switch (E.Form) {
  case ExprForm::Int:
    return std::to_string(E.IntValue) + std::string(E.Suffix);
  case ExprForm::Float:
    return std::string(E.Digits) + std::string(E.Suffix);
  case ExprForm::Bool:
    return E.IntValue ? "true" : "false";
  case ExprForm::Name:
    return path(E.Name);
  case ExprForm::Paren:
    return "(" + inlineExpr(E.Kids[0]) + ")";
  case ExprForm::Unary:
    return std::string(operatorText(E.Unary)) + inlineExpr(E.Kids[0]);
  case ExprForm::Binary:
    return inlineExpr(E.Kids[0]) + " " + std::string(operatorText(E.Binary)) +
           " " + inlineExpr(E.Kids[1]);
  case ExprForm::ArrayLit: {
    std::string S = "[";
    for (ExprId K : E.Kids)
      S += (S.size() > 1 ? ", " : "") + inlineExpr(K);
    return S + "]";
  }
  default:
    return "<" + std::string(formName(E.Form)) + ">";
  }
}

std::string Printer::generics(const std::vector<TypeNodeId> &Types,
                              const std::vector<ExprId> &Exprs) {
  std::string S;
  for (TypeNodeId T : Types)
    S += (S.empty() ? "" : ", ") + type(T);
  for (ExprId E : Exprs)
    S += (S.empty() ? "" : ", ") + inlineExpr(E);
  return S;
}

std::string Printer::path(const Path &P) {
  std::string S;
  for (const Ident &I : P.Segments)
    S += (S.empty() ? "" : "::") + std::string(I.Text);
  std::string G = generics(P.GenericTypes, P.GenericExprs);
  return G.empty() ? S : S + "::<" + G + ">";
}

std::string Printer::namedType(const Path &P) {
  std::string S;
  for (const Ident &I : P.Segments)
    S += (S.empty() ? "" : "::") + std::string(I.Text);
  std::string G = generics(P.GenericTypes, P.GenericExprs);
  return G.empty() ? S : S + "<" + G + ">";
}

std::string Printer::type(TypeNodeId Id) {
  if (!Id)
    return "";
  const TypeNode &T = Tree[Id];
  switch (T.Form) {
  case TypeForm::Named:
    return namedType(T.Name);
  case TypeForm::Slice:
    return "[" + type(T.Element) + "]";
  case TypeForm::Array:
    return "[" + type(T.Element) + "; " + inlineExpr(T.Count) + "]";
  case TypeForm::Reference:
    return (T.Mutable ? "&mut " : "&") + type(T.Element);
  case TypeForm::Unit:
    return "()";
  case TypeForm::Error:
    return "<error>";
  }
  return "";
}

std::string Printer::pattern(const Pattern &P) {
  if (P.Wildcard)
    return "_";
  if (!P.Hi)
    return inlineExpr(P.Lo);
  return inlineExpr(P.Lo) + (P.Inclusive ? "..=" : "..") + inlineExpr(P.Hi);
}

/// The node's own line: form, operator or name, type arguments, label.
std::string Printer::header(const Expr &E) {
  std::string S(formName(E.Form));
  if (E.Label)
    S += " " + std::string(E.Label->Text);
  switch (E.Form) {
  case ExprForm::Int:
    S += " " +
         (E.IntOverflow ? std::string(E.Digits) : std::to_string(E.IntValue));
    break;
  case ExprForm::Float:
  case ExprForm::Str:
    S += " " + std::string(E.Digits);
    break;
  case ExprForm::Bool:
    return S + (E.IntValue ? " true" : " false");
  case ExprForm::Name:
  case ExprForm::Call:
  case ExprForm::StructLit:
    return S + " " + path(E.Name);
  case ExprForm::Unary:
    return S + " " + std::string(operatorText(E.Unary));
  case ExprForm::Binary:
    return S + " " + std::string(operatorText(E.Binary));
  case ExprForm::Assign:
    return S + " " +
           (E.Compound ? std::string(operatorText(E.Binary)) : std::string()) +
           "=";
  case ExprForm::Cast:
    return S + " " + type(E.Type);
  case ExprForm::Field:
    return S + " " + std::string(E.Member.Text);
  case ExprForm::MethodCall: {
    std::string G = generics(E.GenericTypes, E.GenericExprs);
    return S + " " + std::string(E.Member.Text) +
           (G.empty() ? "" : "::<" + G + ">");
  }
  case ExprForm::For:
    S += " " + (E.VarWildcard ? "_" : std::string(E.Var.Text));
    if (E.Inclusive)
      S += " inclusive";
    if (E.Unroll == UnrollKind::Full)
      S += " unroll";
    if (E.Unroll == UnrollKind::Factor)
      S += " unroll(" + inlineExpr(E.UnrollFactor) + ")";
    return S;
  default:
    return S;
  }
  if (!E.Suffix.empty())
    S += " " + std::string(E.Suffix);
  return S;
}

void Printer::labelled(std::string_view Title, ExprId E) {
  if (!E)
    return;
  line(std::string(Title));
  ++Level;
  expr(E);
  --Level;
}

void Printer::forChildren(const Expr &E) {
  labelled("from", E.RangeLo);
  labelled("to", E.RangeHi);
  labelled("step", E.Step);
  labelled("flag", E.FlagBuffer);
  labelled("flag-index", E.FlagIndex);
}

void Printer::arm(const MatchArm &A) {
  std::string S = "arm";
  for (const Pattern &P : A.Alternatives)
    S += (&P == &A.Alternatives.front() ? " " : " | ") + pattern(P);
  labelled(S, A.Body);
}

void Printer::children(const Expr &E) {
  bool IsIf = E.Form == ExprForm::If;
  for (size_t I = 0; I < E.Kids.size(); ++I) {
    if (IsIf && I == 1)
      continue;
    if (E.Form == ExprForm::StructLit)
      labelled(E.FieldNames[I].Text, E.Kids[I]);
    else
      expr(E.Kids[I]);
  }
  if (E.Form == ExprForm::For)
    forChildren(E);
  if (E.Body)
    block("body", E.Body);
  if (E.Then)
    block("then", E.Then);
  if (E.Else)
    block("else", E.Else);
  if (IsIf && E.Kids.size() > 1)
    labelled("else", E.Kids[1]);
  for (const MatchArm &A : E.Arms)
    arm(A);
}

void Printer::expr(ExprId Id) {
  if (!Id)
    return;
  const Expr &E = Tree[Id];
  line(header(E));
  if (E.Form == ExprForm::Error)
    return;
  ++Level;
  children(E);
  --Level;
}

void Printer::block(std::string_view Title, BlockId Id) {
  line(std::string(Title));
  const BlockNode &B = Tree[Id];
  ++Level;
  for (StmtId S : B.Stmts)
    stmt(S);
  labelled("value", B.Tail);
  --Level;
}

void Printer::stmt(StmtId Id) {
  const Stmt &S = Tree[Id];
  for (const Attribute &A : S.Attributes)
    attribute(A);
  if (S.Form != StmtForm::Let)
    return expr(S.Value);
  std::string Text = S.Mutable ? "let mut " : "let ";
  Text += S.Wildcard ? "_" : std::string(S.Name.Text);
  if (S.Type)
    Text += ": " + type(S.Type);
  line(Text);
  ++Level;
  expr(S.Value);
  --Level;
}

void Printer::attribute(const Attribute &A) {
  std::string Args;
  for (const AttributeArg &Arg : A.Args) {
    Args += Args.empty() ? "" : ", ";
    Args += Arg.Key.Text;
    if (Arg.Value)
      Args += (Arg.Key.Text.empty() ? "" : " = ") + inlineExpr(Arg.Value);
  }
  line("attribute " + path(A.Name) + (Args.empty() ? "" : "(" + Args + ")"));
}

void Printer::function(const Item &I) {
  std::string Result = type(I.ReturnType);
  line("fn " + std::string(I.Name.Text) +
       (Result.empty() ? "" : " -> " + Result));
  ++Level;
  for (const ParamNode &P : I.Params) {
    for (const Attribute &A : P.Attributes)
      attribute(A);
    line(std::string(P.Mutable ? "param mut " : "param ") +
         std::string(P.Name.Text) + ": " + type(P.Type));
  }
  if (I.Body)
    block("body", I.Body);
  --Level;
}

void Printer::item(const Item &I) {
  for (const Attribute &A : I.Attributes)
    attribute(A);
  std::string Name(I.Name.Text);
  switch (I.Form) {
  case ItemForm::Function:
    return function(I);
  case ItemForm::Const:
    line("const " + Name + ": " + type(I.Type));
    ++Level;
    expr(I.Value);
    --Level;
    return;
  case ItemForm::Struct:
    line("struct " + Name);
    for (const FieldNode &F : I.Fields)
      line("  field " + std::string(F.Name.Text) + ": " + type(F.Type));
    return;
  case ItemForm::Use:
    return line("use " + path(I.UsePath));
  case ItemForm::Mod:
    return line("mod " + Name);
  case ItemForm::HostOnly:
    return line("host " + std::string(I.HostWhat) +
                (Name.empty() ? "" : " " + Name));
  case ItemForm::Error:
    return line("error" + (Name.empty() ? "" : " " + Name));
  }
}

void Printer::print() {
  for (const Attribute &A : Tree.InnerAttributes)
    attribute(A);
  uint32_t Module = 0;
  for (const Item &I : Tree.Items) {
    if (I.Module != Module)
      line("module " + Tree.Modules[I.Module].Path);
    Module = I.Module;
    item(I);
  }
}

} // namespace

void goldy::printAst(std::ostream &Out, const Ast &Tree) {
  Printer(Out, Tree).print();
}
