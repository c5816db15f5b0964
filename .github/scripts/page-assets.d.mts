export const ASSETS_FILE: string;
export function pageAssets(): Promise<string>;
