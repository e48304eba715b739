import { describe, expect, test } from "bun:test"
import { readOptions } from "../../bench/options.ts"

describe("the bench's command line", () => {
  test("adds other gateways with --peers, and selects all subjects by default", () => {
    expect(readOptions([])?.subjects).toEqual(["bare", "pipe", "nginx", "portkey", "tollgate"])
    const raced = readOptions(["--peers"])
    expect(raced?.subjects).toContain("litellm")
    expect(raced?.subjects).not.toContain("pipe")
    expect(raced?.race?.isComplete).toBe(true)
    expect(raced?.parts).toEqual([])
  })

  test("marks a benchmark of selected subjects or scenarios as incomplete", () => {
    for (const words of [["--quick"], ["--only", "chat"], ["--subjects", "tollgate"]]) {
      expect(readOptions(["--peers", ...words])?.race?.isComplete).toBe(false)
    }
  })

  test("repeats the order of a benchmark if its seed is given", () => {
    expect(readOptions(["--peers", "--seed", "7"])?.race?.seed).toBe(7)
  })

  test("rejects unknown values with an error", () => {
    expect(() => readOptions(["--peers", "--only", "stream"])).toThrow("'stream' is no scenario")
    expect(() => readOptions(["--only", "streams"])).toThrow("'streams' is no part")
    expect(() => readOptions(["--subjects", "x"])).toThrow("'x' is no subject")
    expect(() => readOptions(["--peers", "--seed", "-1"])).toThrow("--seed")
    expect(() => readOptions(["--seed", "1"])).toThrow("--peers")
  })
})
