import { testCanaries } from "./canaries.ts"

testCanaries("SQLite")
