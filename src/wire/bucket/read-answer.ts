import { BucketError } from "./bucket-error.ts"

/** Maximum characters of a response. The longest document is a list of a thousand long names. */
const MAX_CHARACTERS = 16 * 1024 * 1024

/**
 * Reads a complete response.
 * @throws BucketError if the response is cut off, takes too long or is too long.
 */
export async function textOf(answer: Response): Promise<string> {
  let text = ""
  const decoder = new TextDecoder()
  try {
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      if (text.length > MAX_CHARACTERS) break
    }
  } catch {
    throw cutOff()
  }
  if (text.length > MAX_CHARACTERS) throw new BucketError("its response does not end")
  return text
}

export function cutOff(): BucketError {
  return new BucketError("its response was cut off")
}

/** Returns the texts of all elements with a name. */
export function elementsOf(text: string, name: string): string[] {
  const pattern = new RegExp(`<${name}>([^<]*)</${name}>`, "g")
  return [...text.matchAll(pattern)].map(([, content = ""]) => decoded(content))
}

const MARKS: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
}

function decoded(text: string): string {
  return text.replaceAll(
    /&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w{2,4}));/g,
    (all, hex, digits, name) => {
      if (name !== undefined) return MARKS[String(name)] ?? String(all)
      const point = hex === undefined ? Number(digits) : Number.parseInt(String(hex), 16)
      return point <= 0x10ffff ? String.fromCodePoint(point) : String(all)
    },
  )
}
