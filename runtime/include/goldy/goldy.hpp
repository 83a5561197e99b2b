//===- goldy.hpp - The C++ interface of libgoldyrt
//-------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owners over the C interface (goldy.h has the contracts): each object is
// destroyed by its owner, which can be moved and not copied. Nothing throws:
// what can fail returns a Status or a Result, and both must be looked at.
//
//   goldy::Result<goldy::Device> device = goldy::Device::open("cpu");
//   if (!device) return report(device.status());
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_GOLDY_HPP
#define GOLDY_GOLDY_HPP

#include "goldy/goldy.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace goldy {

/// Success, or a code and a message.
class [[nodiscard]] Status {
public:
  Status() = default;
  explicit Status(goldy_status_t S) : Impl(S) {}
  bool ok() const { return !Impl; }
  goldy_code_t code() const { return goldy_status_code(Impl.get()); }
  std::string message() const { return goldy_status_message(Impl.get()); }

private:
  struct Destroy {
    void operator()(goldy_status_t S) const { goldy_status_destroy(S); }
  };
  std::unique_ptr<goldy_status, Destroy> Impl;
};

/// A value, or the status that says why there is none.
template <class T> class [[nodiscard]] Result {
public:
  Result(T Value) : Held(std::move(Value)) {}
  Result(Status Failure) : Why(std::move(Failure)) {
    assert(!Why.ok() && "a failure without a status");
  }
  bool ok() const { return Held.has_value(); }
  explicit operator bool() const { return ok(); }
  const Status &status() const { return Why; }
  /// Moves the status out, to return it from another call.
  Status takeStatus() { return std::move(Why); }
  /// There is a value: `ok()` was true.
  T &operator*() { return *Held; }
  T *operator->() { return &*Held; }

private:
  std::optional<T> Held;
  Status Why;
};

namespace detail {
template <class T, void (*Destroy)(T *)> struct Deleter {
  void operator()(T *Object) const { Destroy(Object); }
};
template <class T, void (*Destroy)(T *)>
using Owner = std::unique_ptr<T, Deleter<T, Destroy>>;
} // namespace detail

class Buffer;

/// Elements of a buffer: what a buffer argument names.
struct View {
  goldy_buffer_t *Handle = nullptr;
  uint64_t Offset = 0; ///< bytes
  uint64_t Length = 0; ///< elements
};

/// An image: `Width` times `Height` elements of four floats, row after row,
/// from byte `Offset` of a buffer.
struct ImageView {
  goldy_buffer_t *Handle = nullptr;
  uint64_t Offset = 0; ///< bytes
  uint32_t Width = 0, Height = 0;
};

/// A view whose element type the compiler checks. Write-only and read-write
/// parameters take a View<T>, read-only ones a View<const T> too.
template <class T> struct ViewOf : View {
  ViewOf() = default;
  explicit ViewOf(View V) : View(V) {}
  operator ViewOf<const T>() const
    requires(!std::is_const_v<T>)
  {
    return ViewOf<const T>(static_cast<const View &>(*this));
  }
  /// Elements [First, First + Count) of this view; they must lie within it,
  /// which binding checks against the buffer.
  ViewOf slice(uint64_t First, uint64_t Count) const {
    ViewOf V = *this;
    V.Offset += First * sizeof(T);
    V.Length = Count;
    return V;
  }
};

/// A tensor of at most four axes over a parent's elements. What it reaches is
/// checked when it is bound.
template <class T> struct TensorOf {
  ViewOf<T> Parent;
  goldy_tensor_view_t Seen{};

  TensorOf() = default;
  /// All of the parent, along one axis.
  TensorOf(ViewOf<T> P)
      : Parent(P), Seen{1, 0, {P.Length, 1, 1, 1}, {1, 0, 0, 0}} {}
  template <class U>
    requires(std::is_same_v<const U, T> && !std::is_same_v<U, T>)
  TensorOf(ViewOf<U> P) : TensorOf(ViewOf<T>(static_cast<View &>(P))) {}
  /// The parent as a dense row-major array.
  TensorOf(ViewOf<T> P, std::initializer_list<uint64_t> Shape)
      : TensorOf(P, goldy_tensor_view_t{static_cast<uint32_t>(Shape.size()),
                                        0,
                                        {1, 1, 1, 1},
                                        {0, 0, 0, 0}}) {
    std::copy_n(Shape.begin(), Shape.size() < 4 ? Shape.size() : 4, Seen.shape);
    int64_t Stride = 1;
    for (uint32_t A = Seen.rank < 4 ? Seen.rank : 4; A-- > 0;) {
      Seen.strides[A] = Stride;
      Stride *= static_cast<int64_t>(Seen.shape[A]);
    }
  }
  TensorOf(ViewOf<T> P, goldy_tensor_view_t V) : Parent(P), Seen(V) {}
  operator TensorOf<const T>() const
    requires(!std::is_const_v<T>)
  {
    return {Parent, Seen};
  }
  /// Axis `I` of the result is axis `Axes[I]` of this; a permutation.
  TensorOf transpose(std::initializer_list<uint32_t> Axes) const {
    TensorOf R = *this;
    uint32_t I = 0;
    for (uint32_t A : Axes)
      if (I < 4 && A < 4) {
        R.Seen.shape[I] = Seen.shape[A];
        R.Seen.strides[I++] = Seen.strides[A];
      }
    return R;
  }
  /// Indices [Start, Start + Count) along an axis.
  TensorOf narrow(uint32_t Axis, uint64_t Start, uint64_t Count) const {
    TensorOf R = *this;
    R.Seen.offset += Start * static_cast<uint64_t>(Seen.strides[Axis & 3]);
    R.Seen.shape[Axis & 3] = Count;
    return R;
  }
};

/// Device memory.
class Buffer {
public:
  explicit Buffer(goldy_buffer_t *B) : Impl(B) {}
  goldy_buffer_t *get() const { return Impl.get(); }
  uint64_t bytes() const { return goldy_buffer_size(get()); }
  /// Copies all of `Data`, a contiguous range, to byte `Offset`.
  template <class Range> Status write(const Range &Data, uint64_t Offset = 0) {
    std::span Bytes(Data);
    return Status(
        goldy_buffer_write(get(), Offset, Bytes.data(), Bytes.size_bytes()));
  }
  /// Fills all of `Data`, a contiguous range, from byte `Offset` on.
  template <class Range> Status read(Range &&Data, uint64_t Offset = 0) const {
    std::span Bytes(Data);
    return Status(
        goldy_buffer_read(get(), Offset, Bytes.data(), Bytes.size_bytes()));
  }
  Result<void *> map() {
    void *Data = nullptr;
    Status S(goldy_buffer_map(get(), &Data));
    return S.ok() ? Result<void *>(Data) : Result<void *>(std::move(S));
  }
  Status unmap() { return Status(goldy_buffer_unmap(get())); }
  /// The whole buffer as elements of `T`; a rest is left out.
  template <class T> ViewOf<T> view() const {
    return ViewOf<T>({get(), 0, bytes() / sizeof(T)});
  }

private:
  detail::Owner<goldy_buffer_t, goldy_buffer_destroy> Impl;
};

struct DeviceOptions {
  uint32_t Threads = 0;       ///< 0: one a hardware thread
  const char *Arch = nullptr; ///< this arch only; null: the best
  /// See goldy_device_options_t.
  void (*Debug)(void *User, const char *Line, size_t Size) = nullptr;
  void *DebugUser = nullptr;
  void (*Finding)(void *User, const char *Text, size_t Size) = nullptr;
  void *FindingUser = nullptr;
  const uint32_t *DebugItem = nullptr; ///< three numbers, or null
};

/// The devices that driver `Driver` sees; see goldy_device_list_create.
class DeviceList {
public:
  static Result<DeviceList> of(size_t Driver) {
    goldy_device_list_t *List = nullptr;
    Status S(goldy_device_list_create(Driver, &List));
    return S.ok() ? Result<DeviceList>(DeviceList(List))
                  : Result<DeviceList>(std::move(S));
  }
  size_t size() const { return goldy_device_list_count(Impl.get()); }
  goldy_device_entry_t operator[](size_t Index) const {
    return goldy_device_list_entry(Impl.get(), Index);
  }

private:
  explicit DeviceList(goldy_device_list_t *List) : Impl(List) {}
  detail::Owner<goldy_device_list_t, goldy_device_list_destroy> Impl;
};

class Device {
public:
  static Result<Device> open(const char *Name, DeviceOptions Options = {}) {
    goldy_device_options_t O{sizeof O,
                             Options.Threads,
                             Options.Arch,
                             Options.Debug,
                             Options.DebugUser,
                             Options.Finding,
                             Options.FindingUser,
                             Options.DebugItem};
    goldy_device_t *D = nullptr;
    Status S(goldy_device_create(Name, &O, &D));
    return S.ok() ? Result<Device>(Device(D)) : Result<Device>(std::move(S));
  }
  goldy_device_t *get() const { return Impl.get(); }
  goldy_device_info_t info() const { return goldy_device_info(get()); }
  /// `Bytes` zeros.
  Result<Buffer> buffer(uint64_t Bytes) const {
    goldy_buffer_t *B = nullptr;
    Status S(goldy_buffer_create(get(), Bytes, &B));
    return S.ok() ? Result<Buffer>(Buffer(B)) : Result<Buffer>(std::move(S));
  }
  /// A buffer that holds a copy of `Data`, a contiguous range.
  template <class Range> Result<Buffer> bufferOf(const Range &Data) const {
    Result<Buffer> B = buffer(std::span(Data).size_bytes());
    if (!B)
      return B;
    Status S = B->write(Data);
    return S.ok() ? std::move(B) : Result<Buffer>(std::move(S));
  }
  Status wait(uint64_t Point, uint64_t TimeoutNs = GOLDY_FOREVER) const {
    return Status(goldy_device_wait(get(), Point, TimeoutNs));
  }

private:
  explicit Device(goldy_device_t *D) : Impl(D) {}
  detail::Owner<goldy_device_t, goldy_device_destroy> Impl;
};

class Artifact {
public:
  static Result<Artifact> load(const char *Path,
                               uint32_t Flags = GOLDY_LOAD_TRUSTED) {
    goldy_artifact_t *A = nullptr;
    Status S(goldy_artifact_load_file(Path, Flags, &A));
    return S.ok() ? Result<Artifact>(Artifact(A))
                  : Result<Artifact>(std::move(S));
  }
  /// `Bytes` stay as they are while the artifact and its kernels live.
  static Result<Artifact> load(std::span<const unsigned char> Bytes,
                               uint32_t Flags = GOLDY_LOAD_TRUSTED) {
    goldy_artifact_t *A = nullptr;
    Status S(goldy_artifact_load_memory(Bytes.data(), Bytes.size(), Flags, &A));
    return S.ok() ? Result<Artifact>(Artifact(A))
                  : Result<Artifact>(std::move(S));
  }
  goldy_artifact_t *get() const { return Impl.get(); }
  std::string_view json() const { return view(goldy_artifact_json(get())); }
  size_t kernelCount() const { return goldy_artifact_kernel_count(get()); }
  std::string_view kernelName(size_t I) const {
    return view(goldy_artifact_kernel_name(get(), I));
  }
  std::string_view kernelDefinition(size_t I) const {
    return view(goldy_artifact_kernel_definition(get(), I));
  }

private:
  explicit Artifact(goldy_artifact_t *A) : Impl(A) {}
  static std::string_view view(goldy_text_t T) { return {T.data, T.size}; }
  detail::Owner<goldy_artifact_t, goldy_artifact_destroy> Impl;
};

/// One argument of a launch: a view or a scalar of the language's types.
struct Argument : goldy_argument_t {
  Argument(View V)
      : goldy_argument_t{V.Handle, V.Offset, V.Length, 0, nullptr} {}
  /// `Seen` must outlive the call that binds.
  Argument(View V, const goldy_tensor_view_t *Seen)
      : goldy_argument_t{V.Handle, V.Offset, V.Length, 0, Seen} {}
  template <class T>
  Argument(const TensorOf<T> &V) : Argument(V.Parent, &V.Seen) {}
  Argument(ImageView V)
      : goldy_argument_t{V.Handle, V.Offset, uint64_t(V.Width) * V.Height,
                         V.Width | uint64_t(V.Height) << 32, nullptr} {}
  Argument(float X) : Argument(Word(), std::bit_cast<uint32_t>(X)) {}
  Argument(uint32_t X) : Argument(Word(), X) {}
  Argument(int32_t X) : Argument(Word(), static_cast<uint32_t>(X)) {}
  Argument(uint64_t X) : Argument(Word(), X) {}
  Argument(int64_t X) : Argument(Word(), static_cast<uint64_t>(X)) {}
  Argument(bool X) : Argument(Word(), X) {}
  explicit Argument(const goldy_argument_t &A) : goldy_argument_t(A) {}

private:
  struct Word {};
  Argument(Word, uint64_t Bits)
      : goldy_argument_t{nullptr, 0, 0, Bits, nullptr} {}
};

/// Groups along x, y, z.
struct Grid {
  uint32_t X = 1, Y = 1, Z = 1;
  operator goldy_grid_t() const { return {{X, Y, Z}}; }
};

class Kernel {
public:
  /// `Name` may be null when the artifact has one kernel.
  static Result<Kernel> create(const Device &D, const Artifact &A,
                               const char *Name = nullptr) {
    goldy_kernel_t *K = nullptr;
    Status S(goldy_kernel_create(D.get(), A.get(), Name, &K));
    return S.ok() ? Result<Kernel>(Kernel(K)) : Result<Kernel>(std::move(S));
  }
  /// With values for specialisation constants.
  static Result<Kernel> create(const Device &D, const Artifact &A,
                               const char *Name,
                               std::span<const goldy_spec_value_t> Specs) {
    goldy_kernel_t *K = nullptr;
    Status S(goldy_kernel_create_specialised(D.get(), A.get(), Name,
                                             Specs.data(), Specs.size(), &K));
    return S.ok() ? Result<Kernel>(Kernel(K)) : Result<Kernel>(std::move(S));
  }
  goldy_kernel_t *get() const { return Impl.get(); }
  goldy_kernel_info_t info() const { return goldy_kernel_info(get()); }
  goldy_param_info_t param(size_t I) const {
    return goldy_kernel_param(get(), I);
  }
  /// The groups that cover N x M x K work-items.
  Grid over(uint32_t N, uint32_t M = 1, uint32_t K = 1) const {
    goldy_kernel_info_t I = info();
    return {groups(N, I.workgroup_size[0]), groups(M, I.workgroup_size[1]),
            groups(K, I.workgroup_size[2])};
  }
  /// Gives the point that is reached when the launch is done.
  Result<uint64_t> launch(Grid Groups,
                          std::initializer_list<Argument> Arguments) const {
    uint64_t Point = 0;
    Status S(goldy_kernel_launch(get(), Arguments.begin(), Arguments.size(),
                                 Groups, &Point));
    return S.ok() ? Result<uint64_t>(Point) : Result<uint64_t>(std::move(S));
  }

private:
  explicit Kernel(goldy_kernel_t *K) : Impl(K) {}
  static uint32_t groups(uint32_t Items, uint32_t Size) {
    return Items / Size + (Items % Size != 0);
  }
  detail::Owner<goldy_kernel_t, goldy_kernel_destroy> Impl;
};

/// A kernel with its arguments bound, to be submitted any number of times.
class Launch {
public:
  static Result<Launch> create(const Kernel &K, Grid Groups,
                               std::span<const Argument> Arguments) {
    goldy_launch_t *L = nullptr;
    Status S(goldy_launch_create(K.get(), Arguments.data(), Arguments.size(),
                                 Groups, &L));
    return S.ok() ? Result<Launch>(Launch(L)) : Result<Launch>(std::move(S));
  }
  /// The device measures the work of each submit.
  static Result<Launch> createTimed(const Kernel &K, Grid Groups,
                                    std::span<const Argument> Arguments) {
    goldy_launch_t *L = nullptr;
    Status S(goldy_launch_create_timed(K.get(), Arguments.data(),
                                       Arguments.size(), Groups, &L));
    return S.ok() ? Result<Launch>(Launch(L)) : Result<Launch>(std::move(S));
  }
  /// When the work of the submit that gave `Point` began and ended; see
  /// goldy_launch_time.
  Result<goldy_time_span_t> time(uint64_t Point) const {
    goldy_time_span_t Span{};
    Status S(goldy_launch_time(Impl.get(), Point, &Span));
    return S.ok() ? Result<goldy_time_span_t>(Span)
                  : Result<goldy_time_span_t>(std::move(S));
  }
  Result<uint64_t> submit() {
    uint64_t Point = 0;
    Status S(goldy_launch_submit(Impl.get(), &Point));
    return S.ok() ? Result<uint64_t>(Point) : Result<uint64_t>(std::move(S));
  }

private:
  explicit Launch(goldy_launch_t *L) : Impl(L) {}
  detail::Owner<goldy_launch_t, goldy_launch_destroy> Impl;
};

} // namespace goldy

#endif
