/** SQL files, imported as text. */
declare module "*.sql" {
  const text: string
  export = text
}
