// Placeholder until `npm run spec` compiles the rows.
export type RequirementId = string;
