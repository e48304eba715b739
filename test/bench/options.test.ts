import { describe, expect, test } from "bun:test"
import { readOptions } from "../../bench/options.ts"

describe("the command line of the bench", () => {
  test("measures beside the usual ones, and races all", () => {
    expect(readOptions([])?.subjects).toEqual(["bare", "pipe", "nginx", "portkey", "tollgate"])
    const raced = readOptions(["--peers"])
    expect(raced?.subjects).toContain("litellm")
    expect(raced?.subjects).not.toContain("pipe")
    expect(raced?.race?.isComplete).toBe(true)
    expect(raced?.parts).toEqual([])
  })

  test("what is not the whole race is no page for everyone", () => {
    for (const words of [["--quick"], ["--only", "chat"], ["--subjects", "tollgate"]]) {
      expect(readOptions(["--peers", ...words])?.race?.isComplete).toBe(false)
    }
  })

  test("a race can be repeated", () => {
    expect(readOptions(["--peers", "--seed", "7"])?.race?.seed).toBe(7)
  })

  test("what it does not know is refused in words", () => {
    expect(() => readOptions(["--peers", "--only", "stream"])).toThrow("'stream' is no scenario")
    expect(() => readOptions(["--only", "streams"])).toThrow("'streams' is no part")
    expect(() => readOptions(["--subjects", "x"])).toThrow("'x' is no subject")
    expect(() => readOptions(["--peers", "--seed", "-1"])).toThrow("--seed")
    expect(() => readOptions(["--seed", "1"])).toThrow("--peers")
  })
})
