import { open } from "node:fs/promises"

interface Target {
  /** The target as Bun names it. */
  readonly bun: Bun.Build.CompileTarget
  /** The extension of the executable's file name. */
  readonly ending: "" | ".exe"
  /** The expected result of {@link readSystem} for the executable. */
  readonly system: string
}

/** The targets for which executables are built. `baseline` is for processors without AVX2, `musl` for Alpine. */
export const TARGETS: Readonly<Record<string, Target>> = {
  "linux-x64": { bun: "bun-linux-x64", ending: "", system: "ELF x64" },
  "linux-x64-baseline": { bun: "bun-linux-x64-baseline", ending: "", system: "ELF x64" },
  "linux-x64-musl": { bun: "bun-linux-x64-musl", ending: "", system: "ELF x64 musl" },
  "linux-arm64": { bun: "bun-linux-arm64", ending: "", system: "ELF arm64" },
  "linux-arm64-musl": { bun: "bun-linux-arm64-musl", ending: "", system: "ELF arm64 musl" },
  "darwin-x64": { bun: "bun-darwin-x64", ending: "", system: "Mach-O x64" },
  "darwin-arm64": { bun: "bun-darwin-arm64", ending: "", system: "Mach-O arm64" },
  "windows-x64": { bun: "bun-windows-x64", ending: ".exe", system: "PE x64" },
}

/** Number of bytes to read. The header names the loader and its library within the first page. */
const HEADER_BYTES = 4_096

/** Processor architectures by their numbers in headers: ELF's `e_machine`, Mach-O's `cputype`, PE's `Machine`. */
const ELF: Readonly<Record<number, string>> = { 0x3e: "x64", 0xb7: "arm64" }
const MACH_O: Readonly<Record<number, string>> = { 0x01000007: "x64", 0x0100000c: "arm64" }
const PE: Readonly<Record<number, string>> = { 0x8664: "x64", 0xaa64: "arm64" }

/** Returns the system of a file, such as `ELF arm64 musl`; undefined if the file is not an executable. */
export async function readSystem(path: string): Promise<string | undefined> {
  const header = Buffer.alloc(HEADER_BYTES)
  const file = await open(path)
  try {
    await file.read(header, 0, HEADER_BYTES, 0)
  } finally {
    await file.close()
  }
  return systemOf(header)
}

/** @param header the first 4,096 bytes of a file. */
export function systemOf(header: Buffer): string | undefined {
  if (header.subarray(0, 4).equals(Buffer.from("\x7fELF"))) {
    const musl = header.includes("/ld-musl-") ? " musl" : ""
    return `ELF ${ELF[header.readUInt16LE(18)]}${musl}`
  }
  if (header.readUInt32LE(0) === 0xfeedfacf) return `Mach-O ${MACH_O[header.readUInt32LE(4)]}`
  const at = header.readUInt32LE(0x3c)
  const isWindows = header.subarray(0, 2).equals(Buffer.from("MZ")) && at + 6 <= header.length
  if (!isWindows || !header.subarray(at, at + 4).equals(Buffer.from("PE\0\0"))) return undefined
  return `PE ${PE[header.readUInt16LE(at + 4)]}`
}
