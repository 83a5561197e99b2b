//===- Sha256.h - SHA-256
//----------------------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FIPS 180-4, section 6.2, for hashes of sources and cache keys. Not for
// secrets: it makes no promise about timing.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_SUPPORT_SHA256_H
#define GOLDYC_SUPPORT_SHA256_H

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace goldy {

class Sha256 {
public:
  using Digest = std::array<uint8_t, 32>;

  /// Adds bytes; may be called any number of times before `finish`.
  void update(std::span<const uint8_t> Bytes) {
    Total += Bytes.size();
    while (!Bytes.empty()) {
      size_t N = std::min(Bytes.size(), Buffer.size() - Filled);
      std::memcpy(Buffer.data() + Filled, Bytes.data(), N);
      Filled += N;
      Bytes = Bytes.subspan(N);
      if (Filled == Buffer.size())
        flushBlock();
    }
  }
  void update(std::string_view Text) {
    update({reinterpret_cast<const uint8_t *>(Text.data()), Text.size()});
  }

  /// The digest of all bytes; the object is spent.
  Digest finish() {
    uint64_t BitCount = Total * 8;
    static constexpr uint8_t One[1] = {0x80}, Zero[1] = {0};
    update(One);
    while (Filled != 56)
      update(Zero);
    uint8_t Length[8];
    for (int I = 0; I < 8; ++I)
      Length[I] = static_cast<uint8_t>(BitCount >> (56 - 8 * I));
    update(Length);
    Digest D;
    for (size_t I = 0; I < 32; ++I)
      D[I] = static_cast<uint8_t>(State[I / 4] >> (24 - 8 * (I % 4)));
    return D;
  }

  static Digest of(std::span<const uint8_t> Bytes) {
    Sha256 H;
    H.update(Bytes);
    return H.finish();
  }
  static Digest of(std::string_view Text) {
    Sha256 H;
    H.update(Text);
    return H.finish();
  }
  /// 64 lower-case hex digits.
  static std::string hex(const Digest &D) {
    std::string S;
    for (uint8_t B : D) {
      S += "0123456789abcdef"[B >> 4];
      S += "0123456789abcdef"[B & 15];
    }
    return S;
  }

private:
  void flushBlock() {
    static constexpr uint32_t K[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
        0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
        0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
        0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
        0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
        0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
        0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
        0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
    uint32_t W[64];
    for (size_t I = 0; I < 16; ++I)
      W[I] = uint32_t(Buffer[4 * I]) << 24 | uint32_t(Buffer[4 * I + 1]) << 16 |
             uint32_t(Buffer[4 * I + 2]) << 8 | Buffer[4 * I + 3];
    for (size_t I = 16; I < 64; ++I) {
      uint32_t A = W[I - 15], B = W[I - 2];
      uint32_t S0 = std::rotr(A, 7) ^ std::rotr(A, 18) ^ (A >> 3);
      uint32_t S1 = std::rotr(B, 17) ^ std::rotr(B, 19) ^ (B >> 10);
      W[I] = W[I - 16] + S0 + W[I - 7] + S1;
    }
    std::array<uint32_t, 8> V = State;
    for (size_t I = 0; I < 64; ++I) {
      uint32_t E = V[4], A = V[0];
      uint32_t T1 = V[7] +
                    (std::rotr(E, 6) ^ std::rotr(E, 11) ^ std::rotr(E, 25)) +
                    ((E & V[5]) ^ (~E & V[6])) + K[I] + W[I];
      uint32_t T2 = (std::rotr(A, 2) ^ std::rotr(A, 13) ^ std::rotr(A, 22)) +
                    ((A & V[1]) ^ (A & V[2]) ^ (V[1] & V[2]));
      V = {T1 + T2, V[0], V[1], V[2], V[3] + T1, V[4], V[5], V[6]};
    }
    for (size_t I = 0; I < 8; ++I)
      State[I] += V[I];
    Filled = 0;
  }

  std::array<uint32_t, 8> State{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> Buffer{};
  size_t Filled = 0;
  uint64_t Total = 0;
};

} // namespace goldy

#endif
