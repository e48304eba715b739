/**
 * Returns an email address with lowercase ASCII letters. Other letters are not changed, because some of them become ASCII
 * letters in lower case, and an address with them belongs to someone else: the Kelvin sign becomes `k`.
 */
export function foldedEmail(address: string): string {
  return address.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
