import { invalidValue } from "../../../canon/invalid-request.ts"
import type { JsonValue } from "../../../canon/json.ts"
import { wrongMember as wrongValue } from "../../shared/validation.ts"

/** The position of a block, formatted only for errors. */
export interface BlockPosition {
  readonly message: number
  /** Absent if the content is text and not a list of blocks. */
  readonly block?: number
  /** For a block inside a tool result. */
  readonly inner?: number
}

/** Returns the parameter of an error, such as `messages[0].content[1]`. */
export function nameOf({ message, block, inner }: BlockPosition): string {
  let name = `messages[${message}].content`
  if (block !== undefined) name += `[${block}]`
  return inner === undefined ? name : `${name}.content[${inner}]`
}

/** An error for which Anthropic's API has its own message; it also formats positions differently. */
export function refusal(position: BlockPosition, words: string): Error {
  const { message, block } = position
  const path = block === undefined ? `messages.${message}` : `messages.${message}.content.${block}`
  return invalidValue(nameOf(position), `${path}: ${words}`)
}

/** The error for a member that is missing, or null, or of the wrong type. */
export function wrongMember(value: JsonValue | undefined, name: string, expected: string): Error {
  return wrongValue(value ?? undefined, name, expected)
}
