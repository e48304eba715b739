import type { Terminal } from "../../src/cli/terminal.ts"

/** A terminal that records its output. */
export class FakeTerminal implements Terminal {
  output = ""
  notices = ""
  readonly isOutputColored: boolean
  readonly isNoticeColored: boolean
  readonly isDebugging: boolean
  readonly confirm: Terminal["confirm"]
  /** The questions that were printed. */
  readonly questions: string[] = []

  constructor(facts: { isColored?: boolean; isDebugging?: boolean; response?: boolean } = {}) {
    this.isOutputColored = facts.isColored ?? false
    this.isNoticeColored = facts.isColored ?? false
    this.isDebugging = facts.isDebugging ?? false
    const { response } = facts
    if (response === undefined) return
    this.confirm = async (question) => {
      this.questions.push(question)
      return response
    }
  }

  readonly writeOutput = (text: string) => {
    this.output += text
  }

  readonly writeNotice = (text: string) => {
    this.notices += text
  }
}
