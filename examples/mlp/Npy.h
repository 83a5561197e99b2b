// Arrays in NumPy's format, as much of it as this example needs: version 1, C
// order, one element type. Part of goldyc, under the Apache License v2.0 with
// LLVM Exceptions.
#ifndef MLP_NPY_H
#define MLP_NPY_H

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

/// The elements of `Path`, whose type NumPy calls `Descr`, such as "<f4". False
/// if it is no such file.
template <class T>
bool readNpy(const std::string &Path, const char *Descr, std::vector<T> &Out) {
  std::ifstream In(Path, std::ios::binary);
  std::string File((std::istreambuf_iterator<char>(In)), {});
  if (File.size() < 10 || !File.starts_with("\x93NUMPY\x01"))
    return false;
  size_t Head = 10 + static_cast<unsigned char>(File[8]) +
                256 * static_cast<unsigned char>(File[9]);
  std::string_view Text = std::string_view(File).substr(0, Head);
  bool Fits = File.size() >= Head && (File.size() - Head) % sizeof(T) == 0 &&
              Text.find(Descr) != Text.npos &&
              Text.find("'fortran_order': False") != Text.npos;
  if (!Fits)
    return false;
  Out.resize((File.size() - Head) / sizeof(T));
  std::memcpy(Out.data(), File.data() + Head, File.size() - Head);
  return true;
}

/// Writes `Data` as an array of `Rows` rows.
inline bool writeNpy(const std::string &Path, const std::vector<float> &Data,
                     size_t Rows) {
  std::string Head = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                     std::to_string(Rows) + ", " +
                     std::to_string(Rows ? Data.size() / Rows : 0) + "), }";
  Head.resize((Head.size() + 10 + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  Head += '\n';
  std::ofstream Out(Path, std::ios::binary);
  Out.write("\x93NUMPY\x01\0", 8);
  Out.put(static_cast<char>(Head.size() & 255));
  Out.put(static_cast<char>(Head.size() >> 8));
  Out.write(Head.data(), static_cast<std::streamsize>(Head.size()));
  Out.write(reinterpret_cast<const char *>(Data.data()),
            static_cast<std::streamsize>(Data.size() * sizeof(float)));
  return static_cast<bool>(Out.flush());
}

#endif
