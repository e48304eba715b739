import type { ChatResult, Choice } from "../../canon/chat.ts"
import type { Citation, Part } from "../../canon/message.ts"
import { StopSearch, StopSequences } from "../../canon/stop-search.ts"
import { type Counter, charactersOfTokens } from "./length-cut.ts"
import type { OwnLimits } from "../fitting/own-limits.ts"

/** Enforces limits on a whole response that the vendor does not enforce, separately for each choice. */
export async function limitedResult(
  result: ChatResult,
  { stop, maxTokens }: OwnLimits,
  counter: Counter,
): Promise<ChatResult> {
  const sequences = new StopSequences(stop)
  const choices: Choice[] = []
  for (const choice of result.choices) {
    const stopped = stoppedChoice(choice, sequences)
    const isCounted = maxTokens !== undefined
    choices.push(isCounted ? await shortened(stopped, maxTokens, counter) : stopped)
  }
  return { ...result, choices }
}

function stoppedChoice(choice: Choice, sequences: StopSequences): Choice {
  const search = new StopSearch(sequences)
  let before = 0
  for (const part of choice.parts) {
    if (part.type !== "text") {
      search.restart()
      continue
    }
    const read = search.push(part.text)
    const { found } = search
    if (read !== undefined && found !== undefined) {
      const cut = cutChoice(choice, before + read - found.length)
      return { ...cut, finish: "stop", stopSequence: found }
    }
    before += part.text.length
  }
  return choice
}

async function shortened(choice: Choice, max: number, counter: Counter): Promise<Choice> {
  const text = choice.parts.map((part) => (part.type === "text" ? part.text : "")).join("")
  const characters = await charactersOfTokens(text, max, counter)
  return characters < text.length ? { ...cutChoice(choice, characters), finish: "length" } : choice
}

/**
 * Returns a choice up to a number of characters of its text. The vendor's finish reason and the members of its own
 * dialect, such as log probabilities, are dropped, because they describe the whole text.
 */
function cutChoice({ index, parts }: Choice, characters: number): Omit<Choice, "finish"> {
  const kept: Part[] = []
  let left = characters
  for (const part of parts) {
    if (part.type === "text" && part.text.length > left) {
      const { citations, ...rest } = part
      const within = citations?.flatMap((citation) => citationUpTo(citation, left)) ?? []
      const cited = within.length === 0 ? {} : { citations: within }
      if (left > 0) kept.push({ ...rest, text: part.text.slice(0, left), ...cited })
      break
    }
    if (part.type === "text") left -= part.text.length
    kept.push(part)
  }
  return { index, parts: kept }
}

/** Returns the citation if its text remains. A citation of removed text is dropped. */
function citationUpTo(citation: Citation, characters: number): Citation[] {
  const { start = 0, end } = citation
  if (start >= characters) return []
  return [end === undefined ? citation : { ...citation, end: Math.min(end, characters) }]
}
