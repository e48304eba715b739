import { JsonScanner } from "../../canon/json-structure.ts"
import { isJsonObject } from "../../canon/json.ts"
import { parseWhole } from "../../canon/long-value.ts"
import { ownTurn } from "../../canon/next-turn.ts"
import { SLICE_BYTES } from "../../canon/sliced-json.ts"
import { joinPieces, piecesOfString } from "../../canon/sliced-json-text.ts"
import type { EventContent, ReadEvent } from "../../dialects/shared/read-event.ts"
import type { ReceivedEvent } from "../../wire/frames.ts"
import { isTooHeavy, MAX_LIGHT_FRAME_LENGTH } from "./parse-frame.ts"
import { isTooComplex } from "./unparsed-answer.ts"
import { UsageMembers } from "./usage-members.ts"

/** Whether the first of some events is long. Only the first one can be longer than the last received chunk. */
export function isLongEvent([first]: readonly ReceivedEvent[]): boolean {
  return first !== undefined && first.data.length > MAX_LIGHT_FRAME_LENGTH
}

/** Reads the content of the first event in slices. */
export async function readLongEvent(
  events: readonly ReceivedEvent[],
): Promise<readonly ReadEvent[]> {
  const [first, ...rest] = events
  if (first === undefined) return events
  return [{ ...first, content: await contentOf(first.data) }, ...rest]
}

async function contentOf(data: string): Promise<EventContent> {
  await ownTurn()
  const { buffer } = await joinPieces(piecesOfString(data, SLICE_BYTES))
  const bytes = Buffer.from(buffer)
  const usage = new UsageMembers()
  const scanner = new JsonScanner({ observer: usage })
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    scanner.push(bytes.subarray(start, start + SLICE_BYTES))
    await ownTurn()
  }
  const { values } = scanner
  const isUnparsed = isTooHeavy(scanner) || isTooComplex(scanner)
  const json = isUnparsed ? undefined : await parseWhole(bytes)
  await ownTurn()
  return {
    values,
    isTooHeavy: isTooHeavy(scanner),
    isTooComplex: scanner.isClosed && isTooComplex(scanner),
    usageMembers: usage.members,
    json: isJsonObject(json) ? json : undefined,
  }
}
