import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts"

/** A text of so many characters that could be base64 is looked at: media are longer. */
const LONG = 256
const BASE64 = /^[A-Za-z0-9+/_-]+$/
const DATA_URL = /^data:([a-z]+)\/[^,]{0,200},/i

/** How images begin in base64: PNG, JPEG, GIF. */
const IMAGE = /^(iVBORw0K|\/9j\/|R0lGOD)/
/** How sound begins that is packed: ID3 and MP3 frames, Ogg, FLAC. */
const PACKED_SOUND = /^(SUQz|\/\/[a-z]|T2dnUw|ZkxhQ)/
/** The names under which a value says what its `data` are. */
const TYPE_NAMES = ["type", "mimeType", "mime_type", "media_type", "format"] as const

/**
 * What came of an answer that no event tells, by its size: sound, images, what the vendor's own tools
 * wrote and found, and fields that no one knows. A model has made it, or a vendor bills it, all the same.
 * Each dialect's decoder adds what it meets; billing estimates from it where a vendor does not count.
 */
export class OtherContent {
  /** Characters of text and of JSON. */
  characters = 0
  /** Bytes of samples. */
  soundBytes = 0
  /** Bytes of sound that is compressed. */
  packedSoundBytes = 0
  images = 0
  /** What has been counted of things that come in pieces and then once more whole, by their place. */
  #places: Map<number, OtherContent> | undefined

  /** Rises with whatever comes. */
  get amount(): number {
    return this.characters + this.soundBytes + this.packedSoundBytes + this.images
  }

  text(text: string): void {
    this.characters += text.length
  }

  /** @param base64 of a sound, or of a chunk of one. */
  sound(base64: string): void {
    const bytes = Math.floor((base64.length * 3) / 4)
    if (PACKED_SOUND.test(base64)) this.packedSoundBytes += bytes
    else this.soundBytes += bytes
  }

  image(): void {
    this.images++
  }

  /** Any value: media by their kind, the rest by its characters. Names count as what they name does. */
  json(value: JsonValue | undefined): void {
    const open: (JsonValue | undefined)[] = [value]
    while (open.length > 0) {
      const next = open.pop()
      if (typeof next === "string") this.#string(next, "")
      else if (Array.isArray(next)) for (const item of next) open.push(item)
      else if (isJsonObject(next)) this.#object(next, open)
      else if (next !== undefined && next !== null) this.characters += String(next).length
    }
  }

  /** A chunk of something that comes whole afterwards. */
  chunkAt(place: number, add: (content: OtherContent) => void): void {
    const chunk = new OtherContent()
    add(chunk)
    this.#placeOf(place).add(chunk)
    this.add(chunk)
  }

  /** Something whole, of which chunks may have come: only what they did not hold counts. */
  wholeAt(place: number, value: JsonValue | undefined): void {
    const whole = new OtherContent()
    whole.json(value)
    const reported = this.#placeOf(place)
    const fresh = new OtherContent()
    fresh.characters = Math.max(0, whole.characters - reported.characters)
    fresh.soundBytes = Math.max(0, whole.soundBytes - reported.soundBytes)
    fresh.packedSoundBytes = Math.max(0, whole.packedSoundBytes - reported.packedSoundBytes)
    fresh.images = Math.max(0, whole.images - reported.images)
    reported.add(fresh)
    this.add(fresh)
  }

  add(other: OtherContent): void {
    this.characters += other.characters
    this.soundBytes += other.soundBytes
    this.packedSoundBytes += other.packedSoundBytes
    this.images += other.images
  }

  #placeOf(place: number): OtherContent {
    this.#places ??= new Map()
    let reported = this.#places.get(place)
    if (reported === undefined) {
      reported = new OtherContent()
      this.#places.set(place, reported)
    }
    return reported
  }

  #object(object: JsonObject, open: (JsonValue | undefined)[]): void {
    for (const key in object) {
      const value = object[key]
      if (value === undefined || isEmpty(value)) continue
      this.characters += key.length
      if (key === "data" && typeof value === "string") this.#string(value, typeOf(object))
      else open.push(value)
    }
  }

  #string(text: string, type: string): void {
    if (text.length < LONG) return type === "audio" ? this.sound(text) : this.text(text)
    const [head = "", kind = type] = DATA_URL.exec(text.slice(0, LONG)) ?? []
    const beginning = text.slice(head.length, head.length + LONG)
    if (!BASE64.test(beginning)) this.text(text)
    else if (kind === "image" || IMAGE.test(beginning)) this.image()
    else if (kind === "audio") this.sound(text.slice(head.length))
    else this.text(text)
  }
}

/** What is announced and not said yet. */
function isEmpty(value: JsonValue): boolean {
  if (value === null || value === "") return true
  if (typeof value !== "object") return false
  for (const _ in value) return false
  return true
}

/** What an object says that its `data` are. OpenAI's sound has no type, but a transcript beside it. */
function typeOf(object: JsonObject): string {
  for (const name of TYPE_NAMES) {
    const value = object[name]
    const [kind] = typeof value === "string" ? (/audio|image/.exec(value) ?? []) : []
    if (kind !== undefined) return kind
  }
  return object["transcript"] === undefined && object["expires_at"] === undefined ? "" : "audio"
}
