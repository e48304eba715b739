import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server"
import { decodeAttestationObject } from "@simplewebauthn/server/helpers"
import type { NewPasskey, PasskeyResponse } from "#contract/passkeys.ts"
import type { PasskeyRecord } from "../store/passkeys.ts"
import type { UserRecord } from "../store/users.ts"

/** The values that a browser's authenticator must sign. */
export interface Ceremony {
  readonly challenge: string
  /** The origin of the console in the browser. */
  readonly origin: string
  /** The domain of the passkeys. */
  readonly rpId: string
}

const BROWSER_TIMEOUT_MS = 2 * 60_000
/** EdDSA, ECDSA P-256, and RSA with SHA-256. Every authenticator supports one of these algorithms. */
const ALGORITHMS = [-8, -7, -257]
const SERVICE = "Tollgate"

/**
 * Returns the options for creating a passkey. The passkey must be discoverable, and the authenticator must verify the
 * user.
 */
export async function creationOptions(
  { rpId }: Pick<Ceremony, "rpId">,
  user: UserRecord,
  known: readonly PasskeyRecord[],
): Promise<Readonly<Record<string, unknown>> & { readonly challenge: string }> {
  return {
    ...(await generateRegistrationOptions({
      rpName: SERVICE,
      rpID: rpId,
      userID: Buffer.from(user.id),
      userName: user.email,
      userDisplayName: user.name,
      timeout: BROWSER_TIMEOUT_MS,
      attestationType: "none",
      excludeCredentials: known.map(({ credential }) => ({ id: credential })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      supportedAlgorithmIDs: ALGORITHMS,
    })),
  }
}

/**
 * Returns the options for using a passkey. They do not name a passkey, so that they do not reveal which users exist.
 */
export async function requestOptions({
  rpId,
}: Pick<Ceremony, "rpId">): Promise<
  Readonly<Record<string, unknown>> & { readonly challenge: string }
> {
  return {
    ...(await generateAuthenticationOptions({
      rpID: rpId,
      timeout: BROWSER_TIMEOUT_MS,
      userVerification: "required",
    })),
  }
}

/**
 * Returns the public key of a new passkey.
 * @throws Error if any value differs from the requested one.
 */
export async function verifyCreation(
  { challenge, origin, rpId }: Ceremony,
  credential: NewPasskey["credential"],
): Promise<Pick<PasskeyRecord, "credential" | "publicKey" | "counter">> {
  const { clientDataJSON, attestationObject } = credential.response
  requireNoCertificates(attestationObject)
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: {
      ...credential,
      response: { clientDataJSON, attestationObject },
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  })
  if (!verified) throw new Error("its signature is wrong")
  const { id, publicKey, counter } = registrationInfo.credential
  return { credential: id, publicKey: Buffer.from(publicKey).toString("base64url"), counter }
}

/**
 * Rejects attestations with certificates. The gateway requests no attestation, and the library would fetch revocation
 * lists from addresses in the certificates, which the sender chooses.
 */
function requireNoCertificates(attestationObject: string): void {
  const attestation = decodeAttestationObject(Buffer.from(attestationObject, "base64url"))
  const format = attestation.get("fmt")
  const isSelfSigned = format === "packed" && attestation.get("attStmt").get("x5c") === undefined
  if (format !== "none" && !isSelfSigned)
    throw new Error("it has an attestation, which was not requested")
}

/**
 * Returns the new counter of a passkey after a signature.
 * @throws Error if any value differs from the requested one.
 */
export async function verifyUse(
  { challenge, origin, rpId }: Ceremony,
  { credential: id, publicKey, counter }: PasskeyRecord,
  credential: PasskeyResponse,
): Promise<number> {
  const { clientDataJSON, authenticatorData, signature } = credential.response
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      ...credential,
      response: { clientDataJSON, authenticatorData, signature },
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, "base64url")), counter },
  })
  if (!verified) throw new Error("its signature is wrong")
  return authenticationInfo.newCounter
}
