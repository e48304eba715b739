import { expect, test } from "bun:test"
import type { Command } from "commander"
import { loadCommands } from "../../../src/cli/commands.ts"
import { createProgram } from "../../../src/cli/program.ts"
import { FakeTerminal } from "../../cli/fake-terminal.ts"
import { shellCommands, userBlocks } from "./blocks.ts"

/** The words after `tollgate` in a line, up to the next command. */
const TOLLGATE = /(?:^|\s)tollgate(?=\s|$)([^|&>]*)/g
/** Matches lines in which the word is not a command but a user, an image, a service or a release. */
const NO_COMMAND = /^(?:sudo|docker (?:build|run)|kubectl create|helm|chown|mv|systemctl)/

/** Matches a word with its quotes. `[options]` stands for any options. */
const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g

const program = createProgram(new FakeTerminal(), await loadCommands([]))

const lines = userBlocks()
  .filter(({ language }) => language === "sh")
  .flatMap((block) => shellCommands(block).map((line) => [`${block.place} ${line}`, line] as const))
  .filter(([, line]) => !NO_COMMAND.test(line) && line.search(TOLLGATE) !== -1)

test("the pages contain tollgate commands", () => {
  expect(lines.length).toBeGreaterThan(60)
})

test.each(lines)("the command in the documentation succeeds: %s", (_place, line) => {
  for (const [, words = ""] of line.matchAll(TOLLGATE)) {
    expect(unknownWord(program, words.match(WORD) ?? [])).toBeUndefined()
  }
})

/** Returns the first word that the command line would reject; undefined if it is valid. */
function unknownWord(start: Command, words: readonly string[]): string | undefined {
  let command = start
  let isOperand = false
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ""
    if (word === "[options]" || word === "--") continue
    if (/^-+[a-z]/i.test(word)) {
      const option = [...command.options, ...start.options].find(({ short, long }) =>
        [short, long].includes(word),
      )
      if (option === undefined) return word
      if (option.required || option.optional) index++
      continue
    }
    const next = command.commands.find((child) => child.name() === word)
    if (next !== undefined && !isOperand) command = next
    else if (command.registeredArguments.length === 0) return word
    else isOperand = true
  }
  return command === start || command.commands.length === 0 ? undefined : command.name()
}
