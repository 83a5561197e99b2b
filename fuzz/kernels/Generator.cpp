//===- Generator.cpp - The items of a random kernel -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Generator.h"

#include "KernelWriter.h"

namespace goldy::fuzz {

void KernelWriter::structs() {
  for (unsigned N = R.below(3); N > 0; --N) {
    Struct S{"S" + std::to_string(Structs.size()), {}};
    open("#[goldy::gpu]\nstruct " + S.Name);
    for (unsigned F = 1 + R.below(4); F > 0; --F) {
      TypeName T = scalarType();
      if (has(Vectors) && R.chance(20))
        T = "gpu::Float3";
      else if (R.chance(15))
        T = "[f32; 4]";
      else if (!Structs.empty() && R.chance(15))
        T = Structs[0].Name;
      S.Fields.push_back({"f" + std::to_string(F), T});
      line(S.Fields.back().Name + ": " + T + ",");
    }
    close();
    Structs.push_back(S);
  }
}

void KernelWriter::tables() {
  if (!has(Constants) || R.chance(60))
    return;
  TypeName T = R.pick<const char *>({"u32", "i32", "f32"});
  std::string Text = "const TABLE: [" + T + "; 5] = [";
  for (int N = 0; N < 5; ++N)
    Text += std::to_string(R.below(1000)) + (T == "f32" ? ".5, " : ", ");
  line(Text + "];");
  Tables.push_back({"TABLE", T});
}

void KernelWriter::helpers() {
  InHelper = true;
  for (unsigned N = R.below(3); N > 0; --N) {
    Helper H{"h" + std::to_string(Helpers.size()), {"u32"}, scalarType()};
    std::string Head = "fn " + H.Name + "(seed: u32";
    Scope = {{"seed", "u32"}};
    for (unsigned P = R.below(3); P > 0; --P) {
      H.Params.push_back(scalarType());
      Scope.push_back({fresh("p"), H.Params.back()});
      Head += ", " + Scope.back().Name + ": " + H.Params.back();
    }
    open(Head + ") -> " + H.Result);
    Budget = 8;
    statements(1 + R.below(4), 2);
    if (R.chance(40))
      line("if " + expr("bool", 2) + " { return " + expr(H.Result, 1) + "; }");
    line(expr(H.Result, 3));
    close();
    Helpers.push_back(H);
  }
  Scope.clear();
  InHelper = false;
}

void KernelWriter::signature() {
  Inputs = {
      {"in_u", "u32"}, {"in_i", "i32"}, {"in_f", "f32"}, {"in_b", "bool"}};
  std::string P = "in_u: &[u32], in_i: &[i32], in_f: &[f32], in_b: &[bool]";
  if (has(Wide)) {
    P += ", in_w: &[u64]";
    Inputs.push_back({"in_w", "u64"});
  }
  if (has(Narrow) && R.chance(40)) {
    const char *Element = R.pick<const char *>(
        {"u8", "i8", "u16", "i16", "gpu::f16", "gpu::bf16"});
    TypeName Value = Element[0] == 'u'   ? "u32"
                     : Element[0] == 'i' ? "i32"
                                         : "f32";
    P += std::string(", in_n: &[") + Element + "], out_n: &mut [" + Element +
         "]";
    Inputs.push_back({"in_n", Value});
    Outputs.push_back({"out_n", Value});
  }
  if (has(Tensors) && R.chance(30)) {
    // The name decides on the view.
    std::string In = "in_t" + std::to_string(R.below(40));
    P += ", " + In + ": gpu::Tensor<f32>";
    Inputs.push_back({In, "f32"});
    if (R.chance(60)) {
      std::string Out = "out_t" + std::to_string(R.below(40));
      P += ", " + Out + ": gpu::TensorMut<u32>";
      Outputs.push_back({Out, "u32"});
    }
  }
  for (const Struct &S : Structs)
    P += ", in_" + S.Name + ": &[" + S.Name + "]";
  for (const char *Out : {"u32", "i32", "f32", "bool"})
    if (Out[0] == 'u' || R.chance(70)) {
      P += std::string(", out_") + Out + ": &mut [" + Out + "]";
      Outputs.push_back({std::string("out_") + Out, Out});
    }
  if (R.chance(40))
    for (const char *A : {"u_add", "i_min", "u_xor", "i_max", "u_or"})
      if (R.chance(40)) {
        P += std::string(", ") + A + ": &mut [" +
             (A[0] == 'i' ? "i32" : "u32") + "]";
        Atomics.push_back(A);
      }
  P += ", seed: u32, m: i32, x: f32, flag: bool";
  GroupSize = R.pick<unsigned>({1, 7, 32, 64, 64, 100});
  if (Rows > 1)
    GroupSize = R.pick<unsigned>({1, 5, 8, 16, 16, 20});
  if (has(Collectives))
    GroupSize = R.pick<unsigned>({1, 4, 32, 64, 128});
  line("#[goldy::compute(workgroup_size = [" + std::to_string(GroupSize) +
       ", " + std::to_string(Rows) + ", 1])]");
  open("fn k(" + P + ")");
}

void KernelWriter::kernelBody() {
  if (Rows == 1) {
    line("let gid = gpu::global_id().x;");
    line("let lid = gpu::local_id().x;");
  } else {
    std::string Row = std::to_string(GroupSize);
    GroupSize *= Rows;
    line("let lx = gpu::local_id().x;");
    line("let ly = gpu::local_id().y;");
    line("let lid = ly * " + Row + " + lx;");
    line("let gid = gpu::workgroup_id().x * " + std::to_string(GroupSize) +
         " + lid;");
  }
  Scope = {{"gid", "u32"},
           {"lid", "u32"},
           {"seed", "u32", false, true},
           {"m", "i32", false, true},
           {"x", "f32", false, true},
           {"flag", "bool", false, true}};
  if (Rows > 1) {
    Scope.push_back({"lx", "u32"});
    Scope.push_back({"ly", "u32"});
  }
  for (const Struct &S : Structs) {
    std::string Name = fresh("v");
    line("let mut " + Name + ": " + S.Name + " = in_" + S.Name + "[" +
         index(1) + "];");
    Scope.push_back({Name, S.Name, true});
  }
  if (R.chance(50))
    for (unsigned N = 1 + R.below(2); N > 0; --N) {
      TypeName T = R.pick<const char *>({"u32", "f32", "i32"});
      Group.push_back({fresh("s"), T, false});
      line("let mut " + Group.back().Name + " = gpu::workgroup_array::<" + T +
           ", " + std::to_string(GroupSize) + ">();");
    }
  Budget = 30;
  for (unsigned N = 1 + R.below(3); N > 0; --N)
    phase();
  if (R.chance(20))
    line("if " + expr("bool", 2) + " { return; }");
  statements(2, 1);
  for (const Indexed &O : Outputs)
    line(O.Name + "[gid] = " + expr(O.Element, 3) + ";");
  close();
}

std::string KernelWriter::run() {
  line("use goldy::gpu;\n");
  structs();
  tables();
  helpers();
  signature();
  kernelBody();
  return std::move(Out);
}

std::string generateKernel(Family F, uint64_t Seed, uint32_t Features) {
  if (F == Family::State)
    return generateStateKernel(Seed);
  if (F == Family::Rows)
    return generateRowsKernel(Seed);
  return KernelWriter(Seed, Features).run();
}

} // namespace goldy::fuzz
