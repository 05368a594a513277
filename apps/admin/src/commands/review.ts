import type { Command } from 'commander';
import type { Program } from '../command-run';
import { addReviewListCommand } from './review-list';
import { addReviewResolveCommand } from './review-resolve';
import { addReviewShowCommand } from './review-show';

export function addReviewCommands(root: Command, program: Program): void {
  const review = root.command('review').description("requests whose charge needs an operator's word");
  addReviewListCommand(review, program);
  addReviewShowCommand(review, program);
  addReviewResolveCommand(review, program);
}
