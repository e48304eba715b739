import { expect, test } from "bun:test"
import { verifyCreation } from "../../src/users/webauthn.ts"
import { SoftwareAuthenticator } from "./software-authenticator.ts"

const CEREMONY = {
  challenge: "bm90IHRoZSBjaGFsbGVuZ2U",
  origin: "https://ai.example.com",
  rpId: "ai.example.com",
}

function created(attestation?: readonly [string, readonly Buffer[]]) {
  const key = new SoftwareAuthenticator()
  const response = key.create(CEREMONY, "user", attestation && { attestation })
  return { key, credential: response as unknown as Parameters<typeof verifyCreation>[1] }
}

test("a new passkey without an attestation is accepted", async () => {
  const { key, credential } = created()
  const made = await verifyCreation(CEREMONY, credential)
  expect(made.credential).toBe(key.credentialId)
})

test.each(["packed", "fido-u2f", "android-key", "android-safetynet", "apple", "tpm", "other"])(
  "certificates of the format %s are rejected, because they can contain addresses of revocation lists",
  async (format) => {
    const { credential } = created([format, [Buffer.alloc(100, 0x30)]])
    await expect(verifyCreation(CEREMONY, credential)).rejects.toThrow(
      "it has an attestation, which was not requested",
    )
  },
)
