import { startPlugin } from "../../src/index.js";
import { tools } from "./tools.js";

startPlugin({ name: "Decode", version: "1.0.0", description: "Base64, URLs, JSON Web Tokens and hashes.", tools });
