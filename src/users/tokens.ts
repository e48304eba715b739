import { createHash, randomBytes } from "node:crypto"
import type { ProofKind } from "../store/proofs.ts"

/** A bearer token: 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString("base64url")
}

/** Returns the stored hash of a token. The same token of another kind has another hash. */
export function hashToken(kind: ProofKind | "session", token: string): string {
  return createHash("sha256").update(`${kind}:${token}`).digest("base64url")
}
