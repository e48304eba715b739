/**
 * The public keys of the project's price lists, Ed25519 in base64. The second key is a spare for replacing the first:
 * installations already accept lists that are signed with it. The private keys are kept outside of the repository.
 */
export const PROJECT_KEYS: readonly string[] = [
  "1qeCJ6VQsc3i6eGleOY/PxnMIK5P1iJbLN2M8efZ0zA=",
  "zqQUT9O53jUe20/Cjg7CG5DupV01stRF5oPZZXcjYKU=",
]
