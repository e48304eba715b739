import { createHash, randomBytes } from "node:crypto"
import type { ProofKind } from "../store/proofs.ts"

/** Creates a bearer token of 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString("base64url")
}

/** Returns the hash under which a token is stored. The same token has different hashes for different kinds. */
export function hashToken(kind: ProofKind | "session", token: string): string {
  return createHash("sha256").update(`${kind}:${token}`).digest("base64url")
}
