import {
  bomb,
  choicesAsText,
  choicesInFrame,
  elementsAsText,
  elementsInFrame,
  longFrame,
  manyAsText,
  manyInFrame,
} from "./heavy-payloads.ts"
import { chunk, headOf, LAST_CHUNK, type SoundResponse } from "./sound-response.ts"
import { endless, instead, packed, type Step, type WireFault } from "./fault.ts"

/** Number of bytes of endless content that are sent at once. */
const PORTION = 64 * 1024
const PAGE = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body></body></html>"

/** Sends `portion` as an endless body. A valid response could begin with this text. */
function endlessOf(portion: string): (response: SoundResponse) => Iterable<Step> {
  const text = portion.repeat(Math.ceil(PORTION / portion.length))
  return (response) => endless(headOf(response, "chunked"), chunk(text))
}

/** Faults with content of any size that is not the requested response. */
export const CONTENTS: readonly WireFault[] = [
  {
    name: "a page with status 200",
    effect: "before",
    play: instead(200, PAGE, { "content-type": "text/html" }),
  },
  { name: "a page as JSON", effect: "before", play: instead(200, PAGE) },
  { name: "nothing", effect: "before", play: instead(200, "") },
  { name: "null", effect: "before", play: instead(200, "null") },
  { name: "an empty object", effect: "before", play: instead(200, "{}") },
  {
    name: "half of a JSON",
    effect: "before",
    play: (response) => [
      headOf(response, { length: 9 }, { "content-type": "application/json" }),
      '{"a": [{]',
    ],
  },
  {
    name: "a bomb",
    effect: "before",
    isSoundMessage: true,
    play: (response) => [packed(response, bomb())],
  },
  {
    name: "a frame of 20 MB",
    effect: "before",
    isSoundMessage: true,
    play: (response) => [headOf(response, "chunked"), longFrame(), LAST_CHUNK],
  },
  {
    name: "two million values",
    effect: "before",
    isSoundMessage: true,
    play: (response) => [headOf(response, "chunked"), manyInFrame(), LAST_CHUNK],
  },
  {
    name: "two million values as text",
    effect: "before",
    play: (response) => [
      headOf(response, "chunked", response.isStreamed ? {} : { "content-type": "text/plain" }),
      manyAsText(),
      LAST_CHUNK,
    ],
  },
  {
    name: "eight million elements",
    effect: "before",
    isSoundMessage: true,
    play: (response) => [headOf(response, "chunked"), elementsInFrame(), LAST_CHUNK],
  },
  {
    name: "sixteen million elements as text",
    effect: "before",
    play: (response) => [
      headOf(response, "chunked", response.isStreamed ? {} : { "content-type": "text/plain" }),
      elementsAsText(),
      LAST_CHUNK,
    ],
  },
  {
    name: "half a million choices",
    effect: "before",
    isSoundMessage: true,
    play: (response) => [
      headOf(response, "chunked"),
      response.isStreamed ? choicesInFrame() : choicesAsText(),
      LAST_CHUNK,
    ],
  },
  {
    name: "garbage without an end",
    effect: "before",
    isSoundMessage: true,
    play: endlessOf("\u0000\u0001garbage "),
  },
  {
    name: "comments without an end",
    effect: "before",
    isSoundMessage: true,
    play: endlessOf(": alive\n\n"),
  },
  {
    name: "empty frames without an end",
    effect: "before",
    isSoundMessage: true,
    play: endlessOf("data: {}\n\n"),
  },
  {
    name: "white space without an end",
    effect: "before",
    isSoundMessage: true,
    play: endlessOf(" \n"),
  },
  { name: "a comment now and then", effect: "before", isSoundMessage: true, play: trickle },
  {
    name: "an error of a MB",
    effect: "before",
    play: instead(500, `{"error":{"message":"${"no ".repeat(400_000)}"}}`),
  },
  {
    name: "an error without an end",
    effect: "before",
    play: (response) =>
      endless(headOf({ ...response, status: 500 }, "chunked"), chunk("a".repeat(PORTION))),
  },
]

function* trickle(response: SoundResponse): Generator<Step> {
  yield headOf(response, "chunked")
  for (;;) {
    yield chunk(response.isStreamed ? ": alive\n\n" : " ")
    yield { wait: 200 }
  }
}
