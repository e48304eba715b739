/**
 * Returns an email address with lowercase ASCII letters. Other letters are not changed. The lowercase form of some of
 * them is an ASCII letter (the Kelvin sign becomes `k`), and the address with that letter may belong to someone else.
 */
export function foldedEmail(address: string): string {
  return address.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
