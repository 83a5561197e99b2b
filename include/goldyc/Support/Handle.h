//===- Handle.h - Typed 32-bit handles and the arenas they index ----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every node of the IR and of the AST lives in an arena and is named by a
// `Handle<T>`: 32 bits, typed, with one reserved invalid value so that "no
// node" costs nothing. Handles are stable while the arena grows; references
// into an arena are not.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_SUPPORT_HANDLE_H
#define GOLDYC_SUPPORT_HANDLE_H

#include <cassert>
#include <compare>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace goldy {

/// A typed index into an `Arena<T>`. Default-constructed handles are invalid.
template <class T> class Handle {
public:
  static constexpr uint32_t Invalid = 0xffffffffu;
  constexpr Handle() = default;
  constexpr explicit Handle(uint32_t Raw) : Raw(Raw) {}
  constexpr uint32_t index() const { return Raw; }
  constexpr bool isValid() const { return Raw != Invalid; }
  constexpr explicit operator bool() const { return isValid(); }
  friend constexpr bool operator==(Handle, Handle) = default;
  friend constexpr auto operator<=>(Handle, Handle) = default;

private:
  uint32_t Raw = Invalid;
};

/// Owns nodes of one type in creation order. At most 2^32 - 1 nodes.
template <class T> class Arena {
public:
  Handle<T> push(T Node) {
    assert(Nodes.size() < Handle<T>::Invalid && "arena is full");
    Nodes.push_back(std::move(Node));
    return Handle<T>(static_cast<uint32_t>(Nodes.size() - 1));
  }
  T &operator[](Handle<T> H) {
    assert(contains(H) && "handle out of range");
    return Nodes[H.index()];
  }
  const T &operator[](Handle<T> H) const {
    assert(contains(H) && "handle out of range");
    return Nodes[H.index()];
  }
  bool contains(Handle<T> H) const { return H.index() < Nodes.size(); }
  uint32_t size() const { return static_cast<uint32_t>(Nodes.size()); }
  bool empty() const { return Nodes.empty(); }
  Handle<T> handleAt(uint32_t I) const { return Handle<T>(I); }
  auto begin() { return Nodes.begin(); }
  auto end() { return Nodes.end(); }
  auto begin() const { return Nodes.begin(); }
  auto end() const { return Nodes.end(); }

private:
  std::vector<T> Nodes;
};

/// A dense map from handles of `T` to `V`; unset keys read as the default.
template <class T, class V> class SideMap {
public:
  explicit SideMap(V Default = V()) : Default(std::move(Default)) {}
  const V &operator[](Handle<T> H) const {
    return H.index() < Values.size() ? Values[H.index()].Value : Default;
  }
  V &at(Handle<T> H) {
    assert(H.isValid());
    if (H.index() >= Values.size())
      Values.resize(H.index() + 1, Cell{Default});
    return Values[H.index()].Value;
  }
  void set(Handle<T> H, V Value) { at(H) = std::move(Value); }
  bool operator==(const SideMap &O) const {
    uint32_t N = static_cast<uint32_t>(
        Values.size() > O.Values.size() ? Values.size() : O.Values.size());
    for (uint32_t I = 0; I < N; ++I)
      if (!((*this)[Handle<T>(I)] == O[Handle<T>(I)]))
        return false;
    return true;
  }

private:
  /// Keeps a vector of bool from being packed: elements are referred to.
  struct Cell {
    V Value;
  };
  V Default;
  std::vector<Cell> Values;
};

} // namespace goldy

template <class T> struct std::hash<goldy::Handle<T>> {
  size_t operator()(goldy::Handle<T> H) const noexcept { return H.index(); }
};

#endif
