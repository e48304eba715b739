import type { ChatResult } from "../../canon/chat.ts"

/** The result of `POST /v1/responses/compact`: the generated text and nothing else (SPEC). */
export function compactOf(result: ChatResult): { output: string } {
  const [choice] = result.choices
  const texts = choice?.parts.map((part) => (part.type === "text" ? part.text : ""))
  return { output: texts?.join("") ?? "" }
}
