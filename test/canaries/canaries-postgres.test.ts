import { testCanaries } from "./canaries.ts"

testCanaries("PostgreSQL")
