import type { Prompt } from "./prompt.ts"

/** A call that the user's text requests explicitly. */
export interface ScriptedCall {
  readonly name: string
  /** The arguments as JSON text. */
  readonly argumentsText: string
}

/** Matches one line such as `call read_file {"path":"a.txt"}`. */
const STEP = /^\s*call ([\w.-]+) (\{.*\})\s*$/gm

/**
 * Returns the next call of a task in which a user wrote one call per line. The number of tool results after the task is
 * the number of completed steps.
 * @returns undefined if there is no task; an empty list if the task has ended or its next tool is not offered.
 */
export function nextScriptedCall(prompt: Prompt): readonly ScriptedCall[] | undefined {
  if (prompt.tools.length === 0) return undefined
  const { messages } = prompt
  const from = messages.findLastIndex(({ role, text }) => role === "user" && hasStep(text))
  const task = messages[from]
  if (task === undefined) return undefined
  const done = messages.slice(from + 1).filter((message) => message.role === "tool").length
  const step = stepsOf(task.text)[done]
  const isOffered = prompt.tools.some((tool) => tool.name === step?.name)
  return step !== undefined && isOffered ? [step] : []
}

function hasStep(text: string): boolean {
  return text.search(STEP) !== -1
}

function stepsOf(text: string): ScriptedCall[] {
  return [...text.matchAll(STEP)].map(([, name = "", argumentsText = ""]) => ({
    name,
    argumentsText,
  }))
}
