//===- KernelWriter.h - State of one kernel being made --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel grows as text from top to bottom. What is in scope is a stack of
// variables; expressions draw from it and stop growing at a depth.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_FUZZ_KERNELS_KERNELWRITER_H
#define GOLDY_FUZZ_KERNELS_KERNELWRITER_H

#include "Generator.h"
#include "SourceText.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace goldy::fuzz {

/// Value types by their spelling: "u32", "gpu::Float3", "[f32; 4]", "S0".
using TypeName = std::string;

struct Variable {
  std::string Name;
  TypeName Type;
  bool Mutable = false;
  bool Uniform = false; ///< the same in the whole group
};

struct Field {
  std::string Name;
  TypeName Type;
};
struct Struct {
  std::string Name;
  std::vector<Field> Fields;
};
struct Helper {
  std::string Name;
  std::vector<TypeName> Params;
  TypeName Result;
};
/// A parameter, table or workgroup array that can be indexed.
struct Indexed {
  std::string Name;
  TypeName Element; ///< as a load gives it
  bool Readable = true;
};

class KernelWriter : SourceText {
public:
  /// Every third kernel has groups of several rows, and no collectives.
  KernelWriter(uint64_t Seed, uint32_t Features)
      : SourceText(Seed), Has(Seed % 3 ? Features : Features & ~Collectives),
        Rows(Seed % 3 ? 1 : 2u << Seed / 3 % 3) {}
  std::string run();

private:
  // --- Items
  void structs();
  void tables();
  void helpers();
  void signature();
  void kernelBody();

  // --- Statements
  void statements(unsigned Count, unsigned Depth);
  void statement(unsigned Depth);
  void letStatement(unsigned Depth);
  void assignment();
  void componentAssignment(const Variable &V);
  void ifStatement(unsigned Depth);
  void countedLoop(unsigned Depth);
  void rangeLoop(unsigned Depth);
  void matchStatement(unsigned Depth);
  void labelledBlock(unsigned Depth);
  void storeOwn();
  void atomic();
  void leaveLoop();
  void phase();
  void barrierPhase();
  void collectivePhase();

  // --- Expressions
  std::string expr(const TypeName &T, unsigned Depth);
  std::string leaf(const TypeName &T);
  std::string literal(const TypeName &T);
  std::string element(const TypeName &T, unsigned Depth);
  std::string index(unsigned Depth);
  std::string integer(const TypeName &T, unsigned Depth);
  std::string floating(unsigned Depth);
  std::string boolean(unsigned Depth);
  std::string vectorValue(const TypeName &T, unsigned Depth);
  std::string aggregate(const TypeName &T, unsigned Depth);
  std::string memberRead(const TypeName &T);
  std::string cast(const TypeName &T, unsigned Depth);
  std::string helperCall(const TypeName &T, unsigned Depth);
  std::string choice(const TypeName &T, unsigned Depth);
  /// Not a constant expression, so that rules on literals do not refuse it.
  std::string dynamic(const TypeName &T, unsigned Depth);
  /// The same in the whole group.
  std::string uniform(const TypeName &T);

  TypeName scalarType();
  TypeName valueType();
  bool has(Feature F) const { return Has & F; }
  std::vector<const Variable *> inScope(const TypeName &T, bool Mutable) const;

  uint32_t Has;
  unsigned Rows;        ///< of a group
  unsigned Budget = 40; ///< statements left
  bool InHelper = false;
  bool UniformFlow = true;
  std::vector<std::string> Loops; ///< labels of the loops around
  std::vector<Variable> Scope;
  std::vector<Struct> Structs;
  std::vector<Helper> Helpers;
  std::vector<Indexed> Inputs;  ///< read at any index
  std::vector<Indexed> Outputs; ///< written at the own index
  std::vector<Indexed> Tables;
  std::vector<Indexed> Group;       ///< workgroup arrays
  std::vector<std::string> Atomics; ///< buffers; the operation is in the name
  unsigned GroupSize = 64;
};

bool isInteger(std::string_view T);
bool isSigned(std::string_view T);
bool isVector(std::string_view T);
/// Of a vector type: its components' type and their number.
TypeName componentOf(std::string_view T);
unsigned lengthOf(std::string_view T);

} // namespace goldy::fuzz

#endif
