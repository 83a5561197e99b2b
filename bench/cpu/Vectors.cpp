//===- Vectors.cpp - The suite by hand, as vectors ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference that the suite's marks are set against: vectors of the width
// that -march gives, chains interleaved, SGEMM packed and blocked in registers,
// conv5 split into interior and edge. Built with -ffp-contract=off it is
// vec-strict: the arithmetic of kernels.goldy step by step, fused only where a
// kernel there says gpu::fma, sums in a fixed order of their own. Built with
// -ffp-contract=fast it is vec, for information. N of SGEMM and Cols of rows
// are multiples of 64.
//
//===----------------------------------------------------------------------===//
#include "Native.h"

#include <cmath>
#include <cstring>
#include <vector>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace {

#if defined(__AVX512F__)
constexpr int Lanes = 16;
constexpr int TileRows = 12, TileVectors = 2; // 24 sums of 32 registers
constexpr int MandelChains = 4, ConvRows = 4, ConvVectors = 1;
#elif defined(__AVX2__)
constexpr int Lanes = 8;
constexpr int TileRows = 6, TileVectors = 2; // 12 sums of 16 registers
constexpr int MandelChains = 2, ConvRows = 2, ConvVectors = 2;
#else
constexpr int Lanes = 4;
constexpr int TileRows = 6, TileVectors = 2;
constexpr int MandelChains = 2, ConvRows = 2, ConvVectors = 2;
#endif

using Floats = float __attribute__((ext_vector_type(Lanes)));
using Ints = int32_t __attribute__((ext_vector_type(Lanes)));
using Words = uint32_t __attribute__((ext_vector_type(Lanes)));

template <class V, class T> inline V load(const T *From) {
  V R;
  std::memcpy(&R, From, sizeof(V));
  return R;
}
inline Floats at(const float *From) { return load<Floats>(From); }
template <class V, class T> inline void put(T *To, V Value) {
  std::memcpy(To, &Value, sizeof(V));
}
inline Floats all(float X) { return Floats(X); }
inline Floats most(Floats A, Floats B) { return A > B ? A : B; }
inline Floats least(Floats A, Floats B) { return A < B ? A : B; }
inline Floats fused(Floats A, Floats B, Floats C) {
#if defined(__FMA__) || defined(GOLDY_FUSED_CALLS)
  return __builtin_elementwise_fma(A, B, C);
#else
  return A * B + C; // no such instruction: what a user there would write
#endif
}

/// Lanes added by halves.
inline float sumOf(Floats V) {
  float S[Lanes];
  put(S, V);
  for (int Half = Lanes / 2; Half > 0; Half /= 2)
    for (int I = 0; I < Half; ++I)
      S[I] += S[I + Half];
  return S[0];
}

/// exp_of of kernels.goldy.
inline Floats expOf(Floats X) {
  Floats V = least(most(X, all(-87.0f)), all(88.0f));
  Floats K = __builtin_elementwise_roundeven(V * 1.442695f);
  Floats R = fused(K, all(0.00021219444f), fused(K, all(-0.693359375f), V));
  Floats P = fused(R, all(0.0013888889f), all(0.008333334f));
  P = fused(R, P, all(0.041666668f));
  P = fused(R, P, all(0.16666667f));
  P = fused(R, P, all(0.5f));
  P = fused(R, P, all(1.0f));
  P = fused(R, P, all(1.0f));
  Ints E = (__builtin_convertvector(K, Ints) + 127) << 23;
  return P * load<Floats>(reinterpret_cast<const int32_t *>(&E));
}

void saxpy(Range R, float A, const float *__restrict X, float *__restrict Y) {
  int64_t I = R.Begin;
  for (; I + 4 * Lanes <= R.End; I += 4 * Lanes)
    for (int U = 0; U < 4 * Lanes; U += Lanes)
      put(Y + I + U, A * at(X + I + U) + at(Y + I + U));
  for (; I < R.End; ++I)
    Y[I] = A * X[I] + Y[I];
}

inline Floats gelu(Floats X) {
  Floats Y = fused(X, all(2.0f), all(1.0f));
  Floats T = fused(Y * Y, all(0.07135482f), all(1.5957691f)) * Y;
  Floats G = Y - Y / (expOf(T) + 1.0f);
  return least(most(G, all(-0.1f)), all(2.0f));
}

void chain(Range R, const float *__restrict X, float *__restrict Z) {
  int64_t I = R.Begin;
  for (; I + 2 * Lanes <= R.End; I += 2 * Lanes) {
    Floats A = gelu(at(X + I)), B = gelu(at(X + I + Lanes));
    put(Z + I, A);
    put(Z + I + Lanes, B);
  }
  for (; I < R.End; ++I)
    Z[I] = gelu(all(X[I]))[0];
}

float rowMost(const float *In, int64_t Cols) {
  Floats M[4] = {at(In), at(In), at(In), at(In)};
  for (int64_t I = 0; I < Cols; I += 4 * Lanes)
    for (int U = 0; U < 4; ++U)
      M[U] = most(M[U], at(In + I + U * Lanes));
  float S[Lanes];
  put(S, most(most(M[0], M[1]), most(M[2], M[3])));
  for (int I = 1; I < Lanes; ++I)
    S[0] = S[I] > S[0] ? S[I] : S[0];
  return S[0];
}

void softmax(Range R, int64_t Cols, const float *__restrict X,
             float *__restrict Z) {
  for (int64_t Row = R.Begin; Row < R.End; ++Row) {
    const float *__restrict In = X + Row * Cols;
    float *__restrict Out = Z + Row * Cols;
    float Most = rowMost(In, Cols);
    Floats S[2] = {all(0), all(0)};
    for (int64_t I = 0; I < Cols; I += 2 * Lanes)
      for (int U = 0; U < 2; ++U) {
        Floats E = expOf(at(In + I + U * Lanes) - Most);
        put(Out + I + U * Lanes, E);
        S[U] += E;
      }
    float Scale = 1.0f / sumOf(S[0] + S[1]);
    for (int64_t I = 0; I < Cols; I += Lanes)
      put(Out + I, at(Out + I) * Scale);
  }
}

void rmsnorm(Range R, int64_t Cols, const float *__restrict X,
             const float *__restrict G, float *__restrict Z) {
  for (int64_t Row = R.Begin; Row < R.End; ++Row) {
    const float *__restrict In = X + Row * Cols;
    float *__restrict Out = Z + Row * Cols;
    Floats S[4] = {all(0), all(0), all(0), all(0)};
    for (int64_t I = 0; I < Cols; I += 4 * Lanes)
      for (int U = 0; U < 4; ++U) {
        Floats V = at(In + I + U * Lanes);
        S[U] += V * V;
      }
    float Sum = sumOf((S[0] + S[1]) + (S[2] + S[3]));
    float Scale = 1.0f / sqrtf(Sum / float(Cols) + 0.00001f);
    for (int64_t I = 0; I < Cols; I += Lanes)
      put(Out + I, at(In + I) * Scale * at(G + I));
  }
}

float sum(Range R, const float *__restrict X) {
  Floats S[8];
  for (Floats &V : S)
    V = all(0);
  int64_t I = R.Begin;
  for (; I + 8 * Lanes <= R.End; I += 8 * Lanes)
    for (int U = 0; U < 8; ++U)
      S[U] += at(X + I + U * Lanes);
  float Sum =
      sumOf(((S[0] + S[1]) + (S[2] + S[3])) + ((S[4] + S[5]) + (S[6] + S[7])));
  for (; I < R.End; ++I)
    Sum += X[I];
  return Sum;
}

constexpr int TileCols = TileVectors * Lanes;
constexpr int64_t BlockDepth = 256, BlockRows = 8 * TileRows;

/// Adds the product of Rows packed rows and one packed panel of B to C.
template <int Rows>
void tile(int64_t Depth, const float *__restrict A, const float *__restrict B,
          float *__restrict C, int64_t N, bool First) {
  Floats S[Rows][TileVectors];
  for (int I = 0; I < Rows; ++I)
    for (int J = 0; J < TileVectors; ++J)
      S[I][J] = all(0);
  for (int64_t K = 0; K < Depth; ++K, A += Rows, B += TileCols)
    for (int I = 0; I < Rows; ++I)
      for (int J = 0; J < TileVectors; ++J)
        S[I][J] = fused(all(A[I]), at(B + J * Lanes), S[I][J]);
  for (int I = 0; I < Rows; ++I)
    for (int J = 0; J < TileVectors; ++J) {
      float *To = C + I * N + J * Lanes;
      put(To, First ? S[I][J] : at(To) + S[I][J]);
    }
}

/// Rows of a tile that is not full.
template <int Rows = TileRows - 1>
void someRows(int64_t Count, int64_t Depth, const float *A, const float *B,
              float *C, int64_t N, bool First) {
  if constexpr (Rows > 0) {
    if (Count == Rows)
      return tile<Rows>(Depth, A, B, C, N, First);
    someRows<Rows - 1>(Count, Depth, A, B, C, N, First);
  }
}

void packB(const float *B, int64_t N, int64_t Depth, float *To) {
  for (int64_t J = 0; J < N; J += TileCols)
    for (int64_t K = 0; K < Depth; ++K, To += TileCols)
      std::memcpy(To, B + K * N + J, TileCols * sizeof(float));
}

/// Tiles of TileRows rows, each column after column; the last may be less.
void packA(const float *A, int64_t N, int64_t Rows, int64_t Depth, float *To) {
  for (int64_t I = 0; I < Rows; I += TileRows) {
    int64_t Count = Rows - I < TileRows ? Rows - I : TileRows;
    for (int64_t K = 0; K < Depth; ++K)
      for (int64_t U = 0; U < Count; ++U)
        *To++ = A[(I + U) * N + K];
  }
}

void sgemm(Range R, int64_t N, const float *__restrict A,
           const float *__restrict B, float *__restrict C) {
  static thread_local std::vector<float> PackedA(BlockRows * BlockDepth);
  static thread_local std::vector<float> PackedB;
  PackedB.resize(size_t(BlockDepth * N));
  for (int64_t K = 0; K < N; K += BlockDepth) {
    int64_t Depth = N - K < BlockDepth ? N - K : BlockDepth;
    packB(B + K * N, N, Depth, PackedB.data());
    for (int64_t I = R.Begin; I < R.End; I += BlockRows) {
      int64_t Rows = R.End - I < BlockRows ? R.End - I : BlockRows;
      packA(A + I * N + K, N, Rows, Depth, PackedA.data());
      for (int64_t J = 0; J < N; J += TileCols)
        for (int64_t U = 0; U < Rows; U += TileRows) {
          const float *PA = &PackedA[size_t(U * Depth)];
          const float *PB = &PackedB[size_t(J * Depth)];
          float *To = C + (I + U) * N + J;
          if (Rows - U >= TileRows)
            tile<TileRows>(Depth, PA, PB, To, N, K == 0);
          else
            someRows(Rows - U, Depth, PA, PB, To, N, K == 0);
        }
    }
  }
}

struct Image {
  int64_t W, H;
  const float *X, *K;
  float *Z;
};

void convPixel(const Image &M, int64_t Y, int64_t I) {
  float Sum = 0;
  for (int64_t DY = -2; DY <= 2; ++DY)
    for (int64_t DX = -2; DX <= 2; ++DX)
      if (Y + DY >= 0 && Y + DY < M.H && I + DX >= 0 && I + DX < M.W)
        Sum += M.X[(Y + DY) * M.W + I + DX] * M.K[(DY + 2) * 5 + DX + 2];
  M.Z[Y * M.W + I] = Sum;
}

/// Rows whole rows of the kernel's height from Y on, ConvVectors at I.
template <int Rows>
inline void convInterior(const Image &M, const Floats (&K)[25], int64_t Y,
                         int64_t I) {
  Floats S[Rows][ConvVectors];
  for (auto &Row : S)
    for (Floats &V : Row)
      V = all(0);
#pragma clang loop unroll(full)
  for (int In = 0; In < Rows + 4; ++In)
#pragma clang loop unroll(full)
    for (int DX = 0; DX < 5; ++DX)
#pragma clang loop unroll(full)
      for (int U = 0; U < ConvVectors; ++U) {
        Floats V = at(M.X + (Y + In - 2) * M.W + I + DX - 2 + U * Lanes);
#pragma clang loop unroll(full)
        for (int Out = 0; Out < Rows; ++Out)
          if (In - Out >= 0 && In - Out < 5)
            S[Out][U] += V * K[(In - Out) * 5 + DX];
      }
  for (int Out = 0; Out < Rows; ++Out)
    for (int U = 0; U < ConvVectors; ++U)
      put(M.Z + (Y + Out) * M.W + I + U * Lanes, S[Out][U]);
}

template <int Rows>
void convRows(const Image &M, const Floats (&K)[25], int64_t Y) {
  constexpr int64_t Step = ConvVectors * Lanes;
  for (int Out = 0; Out < Rows; ++Out)
    for (int64_t I : {int64_t(0), int64_t(1), M.W - 2, M.W - 1})
      convPixel(M, Y + Out, I);
  int64_t I = 2;
  for (; I + Step <= M.W - 2; I += Step)
    convInterior<Rows>(M, K, Y, I);
  if (I < M.W - 2) // again over some that are done: the same values
    convInterior<Rows>(M, K, Y, M.W - 2 - Step);
}

void conv5(Range R, int64_t W, int64_t H, const float *__restrict X,
           const float *__restrict K, float *__restrict Z) {
  Image M{W, H, X, K, Z};
  Floats Spread[25];
  for (int I = 0; I < 25; ++I)
    Spread[I] = all(K[I]);
  for (int64_t Y = R.Begin; Y < R.End;) {
    bool Inside = Y >= 2 && Y < H - 2 && W >= 4 + ConvVectors * Lanes;
    if (Inside && Y + ConvRows <= R.End && Y + ConvRows <= H - 2) {
      convRows<ConvRows>(M, Spread, Y);
      Y += ConvRows;
      continue;
    }
    if (Inside)
      convRows<1>(M, Spread, Y);
    else
      for (int64_t I = 0; I < W; ++I)
        convPixel(M, Y, I);
    ++Y;
  }
}

/// One vector of points that iterate.
struct Orbit {
  Floats A = all(0), B = all(0), CR;
  Ints N = 0;
#ifdef __AVX512F__
  __mmask16 On = 0xffff;
  bool step(Floats CI) {
    Floats A2 = A * A, B2 = B * B;
    On = _mm512_mask_cmp_ps_mask(On, __m512(A2 + B2), _mm512_set1_ps(4.0f),
                                 _CMP_LT_OQ);
    N = Ints(_mm512_mask_sub_epi32(__m512i(N), On, __m512i(N),
                                   _mm512_set1_epi32(-1)));
    advance(A2, B2, CI);
    return On;
  }
#else
  Ints On = -1;
  bool step(Floats CI) {
    Floats A2 = A * A, B2 = B * B;
    On &= A2 + B2 < all(4.0f);
    N -= On;
    advance(A2, B2, CI);
    return __builtin_reduce_or(On) != 0;
  }
#endif
  void advance(Floats A2, Floats B2, Floats CI) {
    Floats T = A2 - B2 + CR;
    B = 2.0f * A * B + CI;
    A = T;
  }
};

void mandel(Range R, int64_t W, int64_t H, int32_t Most,
            int32_t *__restrict Z) {
  Floats Iota;
  for (int I = 0; I < Lanes; ++I)
    Iota[I] = float(I);
  for (int64_t Y = R.Begin; Y < R.End; ++Y) {
    Floats CI = all(-1.5f + 3.0f * float(Y) / float(H));
    for (int64_t I = 0; I < W; I += MandelChains * Lanes) {
      Orbit O[MandelChains];
      for (int U = 0; U < MandelChains; ++U)
        O[U].CR = -2.0f + 3.0f * (Iota + float(I + U * Lanes)) / float(W);
      bool Any = true;
      for (int32_t N = 0; N < Most && Any; ++N) {
        Any = false;
        for (Orbit &P : O)
          Any |= P.step(CI);
      }
      for (int U = 0; U < MandelChains; ++U)
        put(Z + Y * W + I + U * Lanes, O[U].N);
    }
  }
}

/// Two copies of the bins: equal neighbours do not wait for each other. More
/// cost more than they save where a store is forwarded at once.
void hist(Range R, const uint32_t *__restrict X, uint32_t *__restrict Bins) {
  uint32_t Own[2][256] = {};
  int64_t I = R.Begin;
  for (; I + 8 <= R.End; I += 8)
    for (int U = 0; U < 8; ++U)
      ++Own[U % 2][X[I + U] & 255];
  for (; I < R.End; ++I)
    ++Own[0][X[I] & 255];
  for (int B = 0; B < 256; ++B)
    Bins[B] += Own[0][B] + Own[1][B];
}

inline Words mixed(Words H) {
  for (uint32_t Round = 0; Round < 4; ++Round) {
    H ^= H >> 16;
    H *= 0x85ebca6b;
    H ^= H >> 13;
    H *= 0xc2b2ae35;
    H ^= H >> 16;
    H += Round;
  }
  return H;
}

void mix(Range R, const uint32_t *__restrict X, uint32_t *__restrict Z) {
  constexpr int64_t Step = 4 * Lanes;
  int64_t I = R.Begin;
  for (; I + Step <= R.End; I += Step) {
    Words H[4];
    for (int U = 0; U < 4; ++U)
      H[U] = mixed(load<Words>(X + I + U * Lanes));
    for (int U = 0; U < 4; ++U)
      put(Z + I + U * Lanes, H[U]);
  }
  for (; I < R.End; ++I)
    Z[I] = mixed(Words(X[I]))[0];
}

} // namespace

const NativeSuite *nativeSuite() {
  static const NativeSuite Suite{saxpy, chain, softmax, rmsnorm, sum,
                                 sgemm, conv5, mandel,  hist,    mix};
  return &Suite;
}
