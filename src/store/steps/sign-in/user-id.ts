import { perEngine, sql } from "../sql.ts"

/** The column that refers to a user. Its name differs, because `user` is a reserved word of PostgreSQL. */
export const USER_ID = perEngine({ sqlite: sql`user`, postgresql: sql`user_id` })
