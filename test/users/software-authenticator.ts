import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"

/** A page's request to an authenticator. */
export interface Asked {
  readonly challenge: string
  /** The origin of the page, which the browser adds to the signed data. */
  readonly origin: string
  readonly rpId: string
}

/** The ways in which the authenticator violates the rules. */
export interface Faults {
  readonly type?: string
  readonly flags?: number
  readonly counter?: number
  readonly userHandle?: string
  readonly isBroken?: boolean
  /** The format of the attestation, and its certificates. */
  readonly attestation?: readonly [format: string, certificates: readonly Buffer[]]
}

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const ATTESTED = 0x40

/**
 * An authenticator with passkeys in memory (WebAuthn level 2, ES256, attestation "none"), written from the
 * specification.
 */
export class SoftwareAuthenticator {
  readonly id = randomBytes(32)
  readonly #key: KeyObject
  readonly #point: { readonly x: Buffer; readonly y: Buffer }
  #userHandle = ""
  counter = 0

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    const { x = "", y = "" } = publicKey.export({ format: "jwk" })
    this.#key = privateKey
    this.#point = { x: Buffer.from(x, "base64url"), y: Buffer.from(y, "base64url") }
  }

  get credentialId(): string {
    return this.id.toString("base64url")
  }

  /** Simulates `navigator.credentials.create()`. */
  create(asked: Asked, userHandle: string, faults: Faults = {}): Record<string, unknown> {
    this.#userHandle = userHandle
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.id.length)
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, this.#coseKey()])
    const flags = faults.flags ?? USER_PRESENT | USER_VERIFIED
    const authData = Buffer.concat([this.#data(asked, flags | ATTESTED, faults), attested])
    const attestationObject = cbor(
      new Map<string, Encodable>([
        ["fmt", faults.attestation?.[0] ?? "none"],
        ["attStmt", statementOf(faults.attestation?.[1])],
        ["authData", authData],
      ]),
    )
    return this.#credential({
      clientDataJSON: clientData(faults.type ?? "webauthn.create", asked),
      attestationObject: attestationObject.toString("base64url"),
      transports: ["internal"],
    })
  }

  /** Simulates `navigator.credentials.get()`. */
  get(asked: Asked, faults: Faults = {}): Record<string, unknown> {
    this.counter++
    const data = this.#data(asked, faults.flags ?? USER_PRESENT | USER_VERIFIED, faults)
    const client = clientData(faults.type ?? "webauthn.get", asked)
    const hash = createHash("sha256").update(Buffer.from(client, "base64url")).digest()
    const signed = Buffer.concat([data, faults.isBroken === true ? randomBytes(32) : hash])
    return this.#credential({
      clientDataJSON: client,
      authenticatorData: data.toString("base64url"),
      signature: sign("sha256", signed, this.#key).toString("base64url"),
      userHandle: faults.userHandle ?? this.#userHandle,
    })
  }

  #data({ rpId }: Asked, flags: number, faults: Faults): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(faults.counter ?? this.counter)
    return Buffer.concat([
      createHash("sha256").update(rpId).digest(),
      Buffer.from([flags]),
      counter,
    ])
  }

  #credential(response: Record<string, unknown>): Record<string, unknown> {
    const id = this.credentialId
    return { id, rawId: id, type: "public-key", response, clientExtensionResults: {} }
  }

  #coseKey(): Buffer {
    return cbor(
      new Map<number, Encodable>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, this.#point.x],
        [-3, this.#point.y],
      ]),
    )
  }
}

function clientData(type: string, { challenge, origin }: Asked): string {
  const text = JSON.stringify({ type, challenge, origin, crossOrigin: false })
  return Buffer.from(text).toString("base64url")
}

type Encodable =
  | number
  | string
  | Buffer
  | readonly Buffer[]
  | ReadonlyMap<number | string, Encodable>

function statementOf(certificates: readonly Buffer[] | undefined): Encodable {
  if (certificates === undefined) return new Map()
  return new Map<string, Encodable>([
    ["alg", -7],
    ["sig", Buffer.alloc(64)],
    ["x5c", certificates],
  ])
}

/** Encodes a value as CBOR (RFC 8949), as far as passkeys need it. */
function cbor(value: Encodable): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === "string") return Buffer.concat([head(3, value.length), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)])
  const members = [...(value as ReadonlyMap<number | string, Encodable>)]
  const parts = members.flatMap(([name, member]) => [cbor(name), cbor(member)])
  return Buffer.concat([head(5, members.length), ...parts])
}

function head(major: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(major << 5) | count])
  if (count < 256) return Buffer.from([(major << 5) | 24, count])
  return Buffer.from([(major << 5) | 25, count >> 8, count & 255])
}
