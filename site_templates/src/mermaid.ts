export async function drawDiagrams(): Promise<void> {}
