import { invalidValue } from "../../../canon/invalid-request.ts"
import type { JsonValue } from "../../../canon/json.ts"
import { wrongMember as wrongValue } from "../../shared/validation.ts"

/** The position of a block. It is formatted only if an error names it. */
export interface BlockPosition {
  readonly message: number
  /** Index of the block in the content; absent if the content is a string. */
  readonly block?: number
  /** Index of a block within a tool result. */
  readonly inner?: number
}

/** Formats the position as the parameter of an error, such as `messages[0].content[1]`. */
export function nameOf({ message, block, inner }: BlockPosition): string {
  let name = `messages[${message}].content`
  if (block !== undefined) name += `[${block}]`
  return inner === undefined ? name : `${name}.content[${inner}]`
}

/** Returns an error with the message of Anthropic's API, which formats positions differently. */
export function rejection(position: BlockPosition, words: string): Error {
  const { message, block } = position
  const path = block === undefined ? `messages.${message}` : `messages.${message}.content.${block}`
  return invalidValue(nameOf(position), `${path}: ${words}`)
}

/** Returns the error for a member that is missing, null or of the wrong type. */
export function wrongMember(value: JsonValue | undefined, name: string, expected: string): Error {
  return wrongValue(value ?? undefined, name, expected)
}
