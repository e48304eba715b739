import type { Terminal } from "../../src/cli/terminal.ts"

/** A terminal that keeps what is written to it. */
export class FakeTerminal implements Terminal {
  output = ""
  notices = ""
  readonly isOutputColored: boolean
  readonly isNoticeColored: boolean
  readonly isDebugging: boolean

  constructor(facts: { isColored?: boolean; isDebugging?: boolean } = {}) {
    this.isOutputColored = facts.isColored ?? false
    this.isNoticeColored = facts.isColored ?? false
    this.isDebugging = facts.isDebugging ?? false
  }

  readonly writeOutput = (text: string) => {
    this.output += text
  }

  readonly writeNotice = (text: string) => {
    this.notices += text
  }
}
