//===- ParserRefusedTest.cpp - One error a construct, at its own span -----===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ParserHelper.h"

#include <catch2/catch.hpp>

using namespace goldy;

namespace {
struct Case {
  const char *Body;   ///< statements of a function
  const char *Code;   ///< the one finding
  const char *Guilty; ///< the text that it points at
};
const Case Cases[] = {
    {"let f = |x: u32| x + 1;", "G0401", "|x: u32| x + 1"},
    {"let f = || { 1 };", "G0401", "|| { 1 }"},
    {"g(move |x| x);", "G0401", "move |x| x"},
    {"panic!(\"empty\");", "G0402", "panic!(\"empty\")"},
    {"let v = vec![1, 2];", "G0402", "vec![1, 2]"},
    {"println! { \"{}\", x }", "G0402", "println! { \"{}\", x }"},
    {"g(&x);", "G0403", "&x"},
    {"g(&mut x[3]);", "G0403", "&mut x[3]"},
    {"*x = 1;", "G0404", "*x"},
    {"let a = *p + 1;", "G0404", "*p"},
    {"let t = (1, 2);", "G0405", "(1, 2)"},
    {"let t = (1,);", "G0405", "(1,)"},
    {"let a = t.0;", "G0405", "0"},
    {"let a: (u32, f32) = x;", "G0405", "(u32, f32)"},
    {"let (a, b) = (1u32, 2u32); g(a, b);", "G0406", "(a, b)"},
    {"let P { a, b } = p[0]; g(a, b);", "G0406", "P { a, b }"},
    {"let [a, b] = q;", "G0406", "[a, b]"},
    {"let ref a = q;", "G0406", "ref a"},
    {"let s = \"text\";", "G0407", "\"text\""},
    {"let s = r#\"a\"b\"#;", "G0407", "r#\"a\"b\"#"},
    {"let c = 'a';", "G0408", "'a'"},
    {"let c = b'\\n';", "G0408", "b'\\n'"},
    {"g(x[1..3]);", "G0409", "[1..3]"},
    {"g(&x[..n]);", "G0409", "[..n]"},
    {"let r = 0..4;", "G0409", "0..4"},
    {"let y = async { 1 };", "G0412", "async"},
    {"let y = g().await;", "G0412", "await"},
    {"unsafe { g(); }", "G0413", "unsafe"},
    {"let y = g()?;", "G0414", "?"},
    {"let n = x as usize;", "G0415", "usize"},
    {"let n: f64 = x;", "G0415", "f64"},
    {"let n = usize::MAX;", "G0415", "usize::MAX"},
    {"let n = 5 as isize as i32;", "G0415", "isize"},
    {"let v = Vec::new();", "G0416", "Vec::new"},
    {"let v = Vec::<f32>::with_capacity(3);", "G0416",
     "Vec::<f32>::with_capacity"},
    {"let v = Some(3);", "G0416", "Some"},
    {"let v: Option<u32> = w;", "G0416", "Option<u32>"},
    {"std::mem::swap(a, b);", "G0416", "std::mem::swap"},
    {"let Some(x) = y else { return; };", "G0417", "else"},
    {"if let Some(x) = y { g(x); }", "G0418", "let Some(x) = y"},
    {"while let Some(x) = y { g(x); }", "G0418", "let Some(x) = y"},
    {"if a && let Some(x) = y { g(x); }", "G0418", "let Some(x) = y"},
    {"fn inner(x: f32) -> f32 { x }", "G0420", "fn inner"},
    {"const N: u32 = 3;", "G0420", "const N"},
    {"let r = loop { break 3; };", "G0421", "break 3"},
    {"let p = P { a: 1, ..q };", "G0423", ".."},
    {"match x { n if n > 3 => g(), _ => {} }", "G0424", "n"},
    {"match x { 1 if y => g(), _ => {} }", "G0424", "if"},
    {"match x { Some(y) => g(y), _ => {} }", "G0406", "Some(y)"},
    {"match x { 5.. => g(), _ => {} }", "G0429", "5.."},
    {"(g)(1);", "G0425", "(g)("},
    {"for v in x.iter() { g(v); }", "G0426", "x.iter()"},
    {"for (i, v) in x.iter().enumerate() { g(i, v); }", "G0426",
     "x.iter().enumerate()"},
    {"for i in (0..n).rev() { g(i); }", "G0426", "(0..n).rev()"},
    {"for i in 0.. { g(i); }", "G0426", "0.."},
    {"let a = self.x;", "G0427", "self"},
    {"let a: _ = 1;", "G0428", "_"},
    {"let a = <f32 as Zero>::zero();", "G0411", "<f32 as Zero>::zero"},
    {"let p: *const f32 = q;", "G0425", "*const f32"},
    {"let y = +x;", "G0120", "+"},
    {"x++;", "G0120", "++"},
    {"let b = a < b < c;", "G0112", "<"},
    {"let b = x as u32 < y;", "G0118", "<"},
    {"if x = 3 { g(); }", "G0122", "="},
    {"if p == P { a: 1 } { g(); }", "G0113", "P"},
    {"let s = gpu::workgroup_array<f32, 256>();", "G0114", "<"},
    {"let r#type = 1;", "G0116", "r#type"},
    {"let größe = 1;", "G0117", "größe"},
    {"let type = 1;", "G0119", "type"},
    {"'a: g();", "G0124", "'a"},
    {"let x = 1usize;", "G0106", "usize"},
    {"let x = 0b102;", "G0105", "2"},
    {"let x = 1e;", "G0105", "e"},
    {"let x = 0x;", "G0105", "0x"},
    {"#[unroll] while x { g(); }", "G0115", "#[unroll]"},
    {"#[unrol] for i in 0..4 { g(); }", "G0115", "unrol"},
};
} // namespace

TEST_CASE("refused constructs give one error at their own text") {
  for (const Case &C : Cases) {
    INFO(C.Body);
    Parsed P = inKernel(C.Body);
    std::string Codes;
    for (const Diagnostic &D : P.Diags.diagnostics())
      Codes += (Codes.empty() ? "" : " ") + diagCodeName(D.Code);
    CHECK(Codes == C.Code);
    CHECK(P.guilty() == C.Guilty);
    REQUIRE(!P.Diags.diagnostics().empty());
  }
}

TEST_CASE("refused items") {
  const Case Items[] = {
      {"fn f<T>(x: T) -> T { x }", "1:5 G0410", "<T>"},
      {"fn f<'a>(x: &'a [f32]) {}", "1:5 G0410", "<'a>"},
      {"fn f(s: &dyn Shape) -> f32 { 1.0 }", "1:10 G0411", "dyn Shape"},
      {"fn f(s: impl Fn(u32) -> u32) {}", "1:9 G0411", "impl Fn(u32) -> u32"},
      {"fn find(n: u32) -> Option<u32> { n }", "1:20 G0416", "Option<u32>"},
      {"fn f(n: usize) {}", "1:9 G0415", "usize"},
      {"fn f(v: Vec<f32>) {}", "1:9 G0416", "Vec<f32>"},
      {"fn f((a, b): (f32, f32)) -> f32 { a + b }", "1:6 G0406", "(a, b)"},
      {"async fn f() {}", "1:1 G0412", "async"},
      {"const fn f() -> u32 { 1 }", "1:1 G0422", "const"},
      {"unsafe fn f() {}", "1:1 G0413", "unsafe"},
      {"extern \"C\" fn f() {}", "1:1 G0422", "extern"},
      {"fn f(&self) {}", "1:7 G0427", "self"},
      {"trait Shape { fn area(&self) -> f32; }", "1:1 G0411", "trait Shape"},
      {"enum E { A, B }", "1:1 G0419", "enum E"},
      {"static N: u32 = 3;", "1:1 G0419", "static N"},
      {"type T = f32;", "1:1 G0419", "type T"},
      {"extern crate foo;", "1:1 G0419", "extern crate"},
      {"mod m { fn f() {} }", "1:1 G0419", "mod m"},
      {"macro_rules! m { () => {} }", "1:1 G0402",
       "macro_rules! m { () => {} }"},
      {"#[goldy::gpu] struct P(f32);", "1:22 G0405", "P"},
      {"#[goldy::gpu] struct P<T> { a: T }", "1:23 G0410", "<T>"},
      {"#[goldy::gpu] fn f() {}", "1:1 G0115", "#[goldy::gpu]"},
      {"#[goldy::comput(workgroup_size = [1, 1, 1])] fn f() {}", "1:3 G0115",
       "goldy::comput"},
      {"fn f(x) {}", "1:6 G0121", "x"},
      {"const N = 3;", "1:7 G0121", "N"},
      {"fn f();", "1:4 G0125", "f"},
      {"#[allow(unused)]", "1:1 G0123", "#[allow(unused)]"},
      {"let x = 3;", "1:1 G0110", "let"},
  };
  for (const Case &C : Items) {
    INFO(C.Body);
    Parsed P{std::string(C.Body)};
    CHECK(P.findings() == C.Code);
    CHECK(P.guilty() == C.Guilty);
  }
}

TEST_CASE("host items are skipped with a warning, cfg items silently") {
  CHECK(Parsed("impl P { fn f(&self) -> Vec<f32> { vec![] } }").findings() ==
        "1:1 G0440");
  CHECK(Parsed("pub use foo::bar;").findings() == "1:5 G0440");
  CHECK(Parsed("use std::collections::HashMap;").findings() == "1:1 G0440");
  CHECK(Parsed("struct Host { a: Box<dyn Fn(u32)> }").findings() ==
        "1:8 G0440");
  CHECK(Parsed("pub fn run(d: &Device, n: usize) -> Result<(), Error> { d?; }")
            .findings() == "1:8 G0440");
  CHECK(Parsed("use goldy::gpu;").findings().empty());
  CHECK(Parsed("#[cfg(not(goldy))]\nfn main() { let x = vec![1].iter().map(|a| "
               "a?); '{'; }\nfn f() {}")
            .findings()
            .empty());
  CHECK(Parsed("#[cfg(goldy)] fn f() {}").tree() == "fn f\n  body\n");
  CHECK(Parsed("#[cfg(test)] mod tests { }").findings() == "1:14 G0440");
  CHECK(Parsed("#[cfg(any(goldy, test))] fn f() {}").tree() ==
        "fn f\n  body\n");
  CHECK(inKernel("#[cfg(not(goldy))] { println!(); } #[cfg(not(goldy))] "
                 "dbg!(1); g();")
            .findings()
            .empty());
}

TEST_CASE("names of refused patterns do not cascade") {
  Parsed P = inKernel("let (a, b) = f(); g(a);");
  CHECK(P.tree() == "fn k\n  body\n    let mut a\n      error\n    let mut b\n"
                    "      error\n    call g\n      name a\n");
}
