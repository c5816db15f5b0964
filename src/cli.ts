#!/usr/bin/env node
import { VERSION } from './platform/version.ts';

process.stdout.write(`${VERSION}\n`);
