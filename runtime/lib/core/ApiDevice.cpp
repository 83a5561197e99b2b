//===- ApiDevice.cpp - C interface: devices and buffers -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Argument checks, then one call of the driver.
//
//===----------------------------------------------------------------------===//
#include "core/Boundary.h"
#include "core/Checked.h"
#include "core/LayoutTables.h"
#include "core/Objects.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>

using namespace goldy::rt;

#define GOLDY_TEXT_(X) #X
#define GOLDY_TEXT(X) GOLDY_TEXT_(X)

const char *goldy_version(void) {
  return GOLDY_TEXT(GOLDY_VERSION_MAJOR) "." GOLDY_TEXT(
      GOLDY_VERSION_MINOR) "." GOLDY_TEXT(GOLDY_VERSION_PATCH);
}

size_t goldy_driver_count(void) { return driverEntries().size(); }

goldy_driver_info_t goldy_driver_info(size_t index) {
  if (index >= driverEntries().size())
    return {};
  const DriverEntry &E = driverEntries()[index];
  return {E.Name, E.Description, E.Open != nullptr};
}

static Status findDriver(std::string_view Name, const DriverEntry *&Out) {
  std::string Known;
  for (const DriverEntry &E : driverEntries()) {
    if (Name == E.Name) {
      Out = &E;
      return E.Open ? Status()
                    : Status(GOLDY_UNAVAILABLE, "the `" + std::string(Name) +
                                                    "` driver is " +
                                                    E.Description);
    }
    Known += Known.empty() ? E.Name : std::string(", ") + E.Name;
  }
  return Status(GOLDY_NOT_FOUND, "there is no device `" + std::string(Name) +
                                     "`; devices are " + Known);
}

/// The one device of a driver that has no list.
static Status listOne(const DriverEntry &E, std::vector<DeviceListing> &Out) {
  std::unique_ptr<Driver> D;
  GOLDY_TRY(E.Open({}, D));
  Out.push_back({D->facts().Name, D->facts().Description, ""});
  return Status();
}

goldy_status_t goldy_device_list_create(size_t driver,
                                        goldy_device_list_t **out_list) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(out_list);
    if (driver >= driverEntries().size())
      return Status(GOLDY_INVALID_ARGUMENT,
                    "there is no driver " + std::to_string(driver));
    const DriverEntry *E = nullptr;
    GOLDY_TRY(findDriver(driverEntries()[driver].Name, E));
    std::unique_ptr<goldy_device_list> L =
        std::make_unique<goldy_device_list>();
    GOLDY_TRY(E->List ? E->List(L->Devices) : listOne(*E, L->Devices));
    *out_list = L.release();
    return Status();
  });
}

void goldy_device_list_destroy(goldy_device_list_t *list) { delete list; }

size_t goldy_device_list_count(const goldy_device_list_t *list) {
  return list ? list->Devices.size() : 0;
}

goldy_device_entry_t goldy_device_list_entry(const goldy_device_list_t *list,
                                             size_t index) {
  if (index >= goldy_device_list_count(list))
    return {};
  const DeviceListing &D = list->Devices[index];
  return {D.Name.c_str(), D.Description.c_str(),
          D.Unusable.empty() ? nullptr : D.Unusable.c_str()};
}

static Status parseOrdinal(std::string_view Text, uint32_t &Out) {
  const char *End = Text.data() + Text.size();
  std::from_chars_result R = std::from_chars(Text.data(), End, Out);
  if (R.ec != std::errc() || R.ptr != End)
    return Status(GOLDY_INVALID_ARGUMENT,
                  "`" + std::string(Text) + "` is not a device number");
  return Status();
}

static Status readOptions(const goldy_device_options_t *Options,
                          DeviceOptions &Out) {
  if (!Options)
    return Status();
  if (Options->size < offsetof(goldy_device_options_t, finding))
    return Status(GOLDY_INVALID_ARGUMENT,
                  "`options->size` must be sizeof(goldy_device_options_t)");
  constexpr uint32_t MaxThreads = 1024;
  if (Options->threads > MaxThreads)
    return Status(GOLDY_LIMIT, std::to_string(Options->threads) +
                                   " threads, the limit is 1024");
  Out.Threads = Options->threads;
  if (Options->arch)
    Out.Arch = Options->arch;
  Out.Debug = Options->debug;
  Out.DebugUser = Options->debug_user;
  if (Options->size < offsetof(goldy_device_options_t, debug_item))
    return Status();
  Out.Finding = Options->finding;
  Out.FindingUser = Options->finding_user;
  bool HasItem = Options->size >= sizeof(goldy_device_options_t);
  if (HasItem && Options->debug_item)
    Out.DebugItem = {Options->debug_item[0], Options->debug_item[1],
                     Options->debug_item[2]};
  return Status();
}

goldy_status_t goldy_device_create(const char *name,
                                   const goldy_device_options_t *options,
                                   goldy_device_t **out_device) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(name);
    GOLDY_NEEDS(out_device);
    std::string_view Name = name;
    DeviceOptions O;
    size_t Colon = Name.find(':');
    const DriverEntry *Entry = nullptr;
    GOLDY_TRY(findDriver(Name.substr(0, Colon), Entry));
    if (Colon != Name.npos)
      GOLDY_TRY(parseOrdinal(Name.substr(Colon + 1), O.Ordinal));
    GOLDY_TRY(readOptions(options, O));
    std::unique_ptr<Driver> D;
    GOLDY_TRY(Entry->Open(O, D));
    *out_device =
        new goldy_device{std::move(D), std::make_shared<LayoutTables>()};
    return Status();
  });
}

void goldy_device_destroy(goldy_device_t *device) { delete device; }

goldy_device_info_t goldy_device_info(const goldy_device_t *device) {
  if (!device)
    return {};
  const DeviceFacts &F = device->Driver->facts();
  return {F.Name.c_str(),
          F.Description.c_str(),
          F.Arches.front().c_str(),
          F.Threads,
          F.MaxBufferBytes,
          {F.MaxGroups[0], F.MaxGroups[1], F.MaxGroups[2]}};
}

[[gnu::noinline]] static Status waitFor(Driver &Device, uint64_t Point,
                                        uint64_t TimeoutNs) {
  uint64_t Last = Device.lastPoint();
  if (Point > Last)
    return Status(GOLDY_INVALID_ARGUMENT,
                  "point " + std::to_string(Point) +
                      " was never given; the last one is " +
                      std::to_string(Last));
  return Device.wait(Point, TimeoutNs);
}

goldy_status_t goldy_device_wait(goldy_device_t *device, uint64_t point,
                                 uint64_t timeout_ns) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(device);
    if (device->Driver->isReached(point))
      return Status();
    return waitFor(*device->Driver, point, timeout_ns);
  });
}

goldy_status_t goldy_buffer_create(goldy_device_t *device, uint64_t bytes,
                                   goldy_buffer_t **out_buffer) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(device);
    GOLDY_NEEDS(out_buffer);
    uint64_t Most = device->Driver->facts().MaxBufferBytes;
    if (bytes > Most)
      return Status(GOLDY_LIMIT, "a buffer of " + std::to_string(bytes) +
                                     " bytes, the device's limit is " +
                                     std::to_string(Most));
    std::unique_ptr<goldy_buffer> B = std::make_unique<goldy_buffer>();
    B->Memory = std::make_shared<Memory>();
    B->Memory->Device = device->Driver;
    B->Memory->Bytes = bytes;
    GOLDY_TRY(device->Driver->allocate(bytes, B->Memory->Id));
    *out_buffer = B.release();
    return Status();
  });
}

void goldy_buffer_destroy(goldy_buffer_t *buffer) { delete buffer; }

uint64_t goldy_buffer_size(const goldy_buffer_t *buffer) {
  return buffer ? buffer->Memory->Bytes : 0;
}

static Status checkRange(const goldy_buffer_t *Buffer, uint64_t Offset,
                         const void *Data, uint64_t Bytes) {
  if (!Buffer)
    return nullArgument("buffer");
  if (!Data && Bytes)
    return nullArgument("data");
  if (rangeFits(Offset, Bytes, Buffer->Memory->Bytes))
    return Status();
  return Status(GOLDY_INVALID_ARGUMENT,
                std::to_string(Bytes) + " bytes at " + std::to_string(Offset) +
                    " do not fit into a buffer of " +
                    std::to_string(Buffer->Memory->Bytes) + " bytes");
}

goldy_status_t goldy_buffer_write(goldy_buffer_t *buffer, uint64_t offset,
                                  const void *data, uint64_t bytes) {
  return guarded([&]() -> Status {
    GOLDY_TRY(checkRange(buffer, offset, data, bytes));
    Memory &M = *buffer->Memory;
    return M.Device->write(M.Id, offset,
                           {static_cast<const std::byte *>(data), bytes});
  });
}

goldy_status_t goldy_buffer_read(const goldy_buffer_t *buffer, uint64_t offset,
                                 void *data, uint64_t bytes) {
  return guarded([&]() -> Status {
    GOLDY_TRY(checkRange(buffer, offset, data, bytes));
    Memory &M = *buffer->Memory;
    return M.Device->read(M.Id, offset,
                          {static_cast<std::byte *>(data), bytes});
  });
}

namespace {
using Mapping = goldy_buffer::Mapping;

/// The buffer's mapping while a call changes it: nobody else's does meanwhile.
class MappingChange {
public:
  explicit MappingChange(goldy_buffer &B) : B(B) {}
  ~MappingChange() {
    if (Begun)
      B.State = Result;
  }
  Status begin(Mapping From) {
    Mapping Found = From;
    Begun = B.State.compare_exchange_strong(Found, Mapping::Changing);
    Result = From;
    if (Begun)
      return Status();
    return Status(GOLDY_INVALID_ARGUMENT,
                  Found == Mapping::Changing
                      ? "the buffer is being mapped or unmapped by another call"
                  : Found == Mapping::Mapped ? "the buffer is mapped already"
                                             : "the buffer is not mapped");
  }
  void done(Mapping Now) { Result = Now; }

private:
  goldy_buffer &B;
  bool Begun = false;
  Mapping Result = Mapping::None;
};
} // namespace

goldy_status_t goldy_buffer_map(goldy_buffer_t *buffer, void **out_data) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(buffer);
    GOLDY_NEEDS(out_data);
    MappingChange Change(*buffer);
    GOLDY_TRY(Change.begin(Mapping::None));
    GOLDY_TRY(buffer->Memory->Device->map(buffer->Memory->Id, *out_data));
    Change.done(Mapping::Mapped);
    return Status();
  });
}

goldy_status_t goldy_buffer_unmap(goldy_buffer_t *buffer) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(buffer);
    MappingChange Change(*buffer);
    GOLDY_TRY(Change.begin(Mapping::Mapped));
    GOLDY_TRY(buffer->Memory->Device->unmap(buffer->Memory->Id));
    Change.done(Mapping::None);
    return Status();
  });
}
