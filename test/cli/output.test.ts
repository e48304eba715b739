import { expect, test } from "bun:test"
import { CommandError } from "../../src/cli/exit-codes.ts"
import { showFailure } from "../../src/cli/failure.ts"
import { type Column, Output, formatFields, formatTable, styleOf } from "../../src/cli/output.ts"
import { FakeTerminal } from "./fake-terminal.ts"

const PLAIN = styleOf(false)

test("table columns are as wide as their widest cell, and numbers are aligned right", () => {
  const columns: readonly Column<readonly string[]>[] = [
    { title: "NAME", cell: ([name = ""]) => name },
    { title: "CREDITS", align: "right", cell: ([, credits = ""]) => credits },
    { title: "NOTE", cell: ([, , note = ""]) => note },
  ]
  const rows = [
    ["a", "10", ""],
    ["a-longer-name", "0.0000125", "first"],
    ["日本", "1", "wide letters"],
    ["short"],
  ]
  expect(formatTable(columns, rows, PLAIN).split("\n")).toEqual([
    "NAME             CREDITS  NOTE",
    "a                     10",
    "a-longer-name  0.0000125  first",
    "日本                   1  wide letters",
    "short",
  ])
  expect(formatTable(columns, [], PLAIN)).toBe("NAME  CREDITS  NOTE")
})

test("fields are printed with their names and values", () => {
  const fields = [
    ["id", "acc_1"],
    ["balance", "10"],
    ["note", "one\ntwo"],
    ["nothing", ""],
  ] as const
  expect(formatFields(fields, PLAIN).split("\n")).toEqual([
    "id:       acc_1",
    "balance:  10",
    "note:     one",
    "          two",
    "nothing:",
  ])
  expect(formatFields([], PLAIN)).toBe("")
})

test("two spaces separate a printed key from its label", () => {
  expect(formatFields([["key", "sk-tg-1"]], PLAIN)).toBe("key:  sk-tg-1")
})

test("names given by callers cannot control the terminal", () => {
  const name = "a\u001b[2Jb\u0007\r\u202ec"
  const shown =
    formatTable([{ title: "NAME", cell: String }], [name], PLAIN) +
    formatFields([["x", name]], PLAIN)
  // oxlint-disable-next-line no-control-regex
  expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
})

test("results, notices and errors cannot control the terminal", () => {
  const name = "a\u001b]0;title\u0007\u001b[2J\u001b[8m\u009b2J\r\u202eb"
  for (const isColored of [false, true]) {
    for (const isJson of [false, true]) {
      const terminal = new FakeTerminal({ isColored })
      const output = new Output(terminal, isJson)
      output.result({ name }, (style) => `${style.strong("name:")}\n${name}`)
      output.notice(name)
      showFailure(new CommandError("failed", name, name), terminal, isJson)
      const text = terminal.output + terminal.notices
      // oxlint-disable-next-line no-control-regex
      const own = isColored ? /\u001b\[(?:0|1|31)m|\n/g : /\n/g
      expect(text.replace(own, "")).not.toMatch(/\p{C}/u)
      if (isJson) expect(JSON.parse(terminal.output)).toEqual({ name })
      else expect(terminal.output).toContain(isColored ? "\u001b[1mname:\u001b[0m\na" : "name:\na")
    }
  }
})

test("output is emphasized only if the terminal supports it", () => {
  expect(styleOf(true).strong("x")).toBe("\u001b[1mx\u001b[0m")
  expect(styleOf(false).strong("x")).toBe("x")
})

test("output is either text or one JSON document", () => {
  const words = new FakeTerminal()
  new Output(words, false).result({ a: 1 }, () => "a is 1")
  expect(words).toMatchObject({ output: "a is 1\n", notices: "" })

  const json = new FakeTerminal({ isColored: true })
  const output = new Output(json, true)
  output.notice("by the way")
  output.result({ a: 1, list: ["x"] }, () => "never")
  expect(JSON.parse(json.output)).toEqual({ a: 1, list: ["x"] })
  expect(json.notices).toBe("by the way\n")
})
