import { dlopen, type FFIFunction } from "bun:ffi"

/** File names of the C library: glibc, musl on both architectures, and macOS. */
const LIBRARIES = [
  "libc.so.6",
  "libc.musl-x86_64.so.1",
  "libc.musl-aarch64.so.1",
  "libSystem.B.dylib",
]

/**
 * Loads functions of the C library.
 * @throws Error if the library is not found, or lacks one of the functions.
 */
export function cLibrary<const Functions extends Record<string, FFIFunction>>(
  functions: Functions,
) {
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, functions).symbols
    } catch {
      // The library has another file name on this system.
    }
  }
  throw new Error("the C library was not found")
}
